"""Configuration: what may be said in files and in the environment, who has the last word, and what follows from it.

`sections` says what there is, `values` what a value may be; `files`, `surroundings` and `command_line` read;
`tightening` holds back what a workspace may not say; `snapshot` lays all of it over each other, as `said` tells;
`applied` makes of it what the rooms below take.
"""
