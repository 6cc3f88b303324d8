/* A Claude Code that costs nothing: what a measurement shows is then the host's share alone.
 *
 * It speaks just enough of the wire for any host. `--version` and `-v` are answered. A control request is answered with
 * success at once. The first prompt prints the file that BENCH_LINES names, as fast as the pipe takes it and whole
 * lines at a time; between two writes it looks at stdin, so that it answers while it prints. An interrupt stops the
 * printing, if it is not done, and ends the turn with a result. At the end of stdin it exits with 0. A line among those
 * that asks for a permission stops the printing until it is answered.
 *
 * BENCH_BELL, if set, names a fifo, which is written to once everything is printed. BENCH_PACE, if set, is how many lines
 * it prints in a second, each alone; the first BENCH_BURST lines come before that as fast as ever. A line that is printed
 * alone tells when: the 19 `@` in it become the time, in ns since 1970.
 */

#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const size_t CHUNK = 64 * 1024;

static const char INITIALIZED[] = "{\"claude_code_version\":\"2.1.332\",\"commands\":[],\"models\":[],"
                                  "\"hook_on_failure_supported\":true,\"hooks_applied\":true}";
static const char INTERRUPTED[] =
    "{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"num_turns\":1,\"duration_ms\":1,"
    "\"duration_api_ms\":1,\"total_cost_usd\":0,\"terminal_reason\":\"aborted_streaming\","
    "\"session_id\":\"00000000-0000-4000-8000-000000000000\",\"uuid\":\"00000000-0000-4000-8000-000000000001\"}\n";

static const char STAMP[] = "@@@@@@@@@@@@@@@@@@@";

static const char *to_print, *print_end; /* what the prompt prints, and how far it came */
static const char *stop;                 /* where the next request ends, or all */
static int printing;
static long pace, burst; /* lines in a second, 0 is as fast as can be; lines before that */
static long long due;    /* when the next line is to be printed, in ns since 1970 */

static void die(const char *what) {
    perror(what);
    exit(70);
}

static void put(const char *text, size_t size) {
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, text, size);
        if (written < 0) exit(0); /* nobody reads any more */
        text += written;
        size -= (size_t)written;
    }
}

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long number(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? 0 : atol(text);
}

static size_t line_size(const char *from) {
    const char *newline = memchr(from, '\n', (size_t)(print_end - from));
    return (size_t)((newline == NULL ? print_end : newline + 1) - from);
}

/* Up to the end of the next line that asks for a permission, or of all. */
static void find_stop(void) {
    static const char ASKS[] = "\"subtype\":\"can_use_tool\"";
    const char *ask = memmem(to_print, (size_t)(print_end - to_print), ASKS, sizeof ASKS - 1);
    stop = ask == NULL ? print_end : ask + line_size(ask);
}

static void open_lines(void) {
    const char *path = getenv("BENCH_LINES");
    struct stat about;
    if (path == NULL) return;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &about) < 0) die(path);
    if (about.st_size == 0) return;
    to_print = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (to_print == MAP_FAILED) die("mmap");
    print_end = to_print + about.st_size;
    pace = number("BENCH_PACE");
    burst = number("BENCH_BURST");
    find_stop();
}

static void ring(void) {
    const char *path = getenv("BENCH_BELL");
    if (path == NULL) return;
    int bell = open(path, O_WRONLY);
    if (bell < 0 || write(bell, "!", 1) < 0) die(path);
    close(bell);
}

static void printed(size_t size) {
    to_print += size;
    if (to_print != stop) return;
    printing = 0;
    if (to_print == print_end) ring();
}

/* The next whole lines, up to a chunk of them; a longer line goes alone. */
static void print_some(void) {
    size_t left = (size_t)(stop - to_print), size = left < CHUNK ? left : CHUNK;
    while (size > 0 && to_print[size - 1] != '\n') size--;
    if (size == 0) size = line_size(to_print);
    put(to_print, size);
    printed(size);
}

/* The next line, with the time in it. */
static void print_one(void) {
    static char line[64 * 1024];
    size_t size = line_size(to_print);
    if (size > sizeof line) die("a line that is too long to be printed at a pace");
    memcpy(line, to_print, size);
    char *stamp = memmem(line, size, STAMP, sizeof STAMP - 1);
    if (stamp != NULL) {
        char text[sizeof STAMP];
        snprintf(text, sizeof text, "%019lld", now_ns());
        memcpy(stamp, text, sizeof STAMP - 1);
    }
    put(line, size);
    printed(size);
}

/* How long nothing is to be printed, in ms. */
static int pause_ms(void) {
    if (!printing) return -1;
    if (pace == 0 || burst > 0) return 0;
    long long left = due - now_ns();
    return left <= 0 ? 0 : (int)((left + 999999) / 1000000);
}

static void print_next(void) {
    if (pace == 0) {
        print_some();
    } else if (burst > 0) {
        burst--;
        print_one();
    } else if (now_ns() >= due) {
        long long now = now_ns();
        due = (due == 0 ? now : due) + 1000000000LL / pace;
        print_one();
    }
}

/* A control request is answered by its id, which hosts write with or without a blank after the colon. */
static void answer(const char *line, const char *body) {
    char text[1024];
    const char *id = strstr(line, "\"request_id\"");
    id = id == NULL ? NULL : strchr(id + strlen("\"request_id\""), '"');
    size_t length = id == NULL ? 0 : strcspn(id + 1, "\"");
    if (id == NULL || length > 256) return;
    int size = snprintf(text, sizeof text,
                        "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%.*s\","
                        "\"response\":%s}}\n",
                        (int)length, id + 1, body);
    put(text, (size_t)size);
}

static void obey(const char *line) {
    if (strstr(line, "\"control_response\"") != NULL) {
        if (to_print == stop && stop != print_end) {
            find_stop();
            printing = 1;
        }
        return;
    }
    if (strstr(line, "\"control_request\"") == NULL) {
        if (strstr(line, "\"control_cancel_request\"") == NULL) printing = to_print != print_end;
    } else if (strstr(line, "\"initialize\"") != NULL) {
        answer(line, INITIALIZED);
    } else if (strstr(line, "\"interrupt\"") != NULL) {
        printing = 0;
        answer(line, "{\"still_queued\":[]}");
        put(INTERRUPTED, sizeof INTERRUPTED - 1);
    } else {
        answer(line, "{}");
    }
}

/* What stands on stdin by now; 0 once it is closed. */
static int listen_once(void) {
    static char buffer[1 << 20];
    static size_t held;
    ssize_t size = read(STDIN_FILENO, buffer + held, sizeof buffer - held - 1);
    if (size <= 0) return 0;
    held += (size_t)size;
    buffer[held] = '\0';
    char *line = buffer, *newline;
    while ((newline = strchr(line, '\n')) != NULL) {
        *newline = '\0';
        obey(line);
        line = newline + 1;
    }
    held -= (size_t)(line - buffer);
    memmove(buffer, line, held);
    return held < sizeof buffer - 1;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-v") == 0) {
            puts("2.1.332 (Claude Code)");
            return 0;
        }
    }
    open_lines();
    for (;;) {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        if (poll(&input, 1, pause_ms()) > 0 && !listen_once()) return 0;
        if (printing) print_next();
    }
}
