"""What can be asked over HTTP, one family of requests a file. Each says which role it needs; without a word it is a
viewer's."""
