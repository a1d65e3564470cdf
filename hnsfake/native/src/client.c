#include "client.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform.h"

#define DEFAULT_PATIENCE 60
#define LONGEST_PATIENCE 86400

static char name[17];

static void name_process(uint64_t random)
{
    snprintf(name, sizeof name, "%016llx", (unsigned long long)random);
}

unsigned client_patience(void)
{
    const char *given = getenv("HNSFAKE_TIMEOUT");
    double seconds = given ? strtod(given, NULL) : 0;
    if (!(seconds > 0 && seconds <= LONGEST_PATIENCE))
        seconds = DEFAULT_PATIENCE;
    return (unsigned)(seconds * 1000);
}

#ifdef _WIN32

/* advapi32: RtlGenRandom */
BOOLEAN WINAPI SystemFunction036(void *buffer, ULONG size);

struct client_thread {
    HANDLE handle;
    DWORD id;
    void (*run)(void *context);
    void *context;
};

static BOOL CALLBACK choose(INIT_ONCE *state, void *parameter, void **context)
{
    uint64_t random = 0;
    (void)state, (void)parameter, (void)context;
    SystemFunction036(&random, sizeof random);
    name_process(random ^ GetCurrentProcessId());
    return TRUE;
}

const char *client_name(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, choose, NULL, NULL);
    return name;
}

void client_pause(unsigned milliseconds)
{
    Sleep(milliseconds);
}

static DWORD WINAPI run(void *context)
{
    struct client_thread *thread = context;
    thread->run(thread->context);
    return 0;
}

struct client_thread *client_thread_start(void (*start)(void *context), void *context)
{
    struct client_thread *thread = malloc(sizeof *thread);
    if (!thread)
        return NULL;
    thread->run = start;
    thread->context = context;
    thread->handle = CreateThread(NULL, 0, run, thread, 0, &thread->id);
    if (!thread->handle) {
        free(thread);
        return NULL;
    }
    return thread;
}

void client_thread_join(struct client_thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
    free(thread);
}

void client_thread_leave(struct client_thread *thread)
{
    CloseHandle(thread->handle);
    free(thread);
}

int client_thread_is_this(const struct client_thread *thread)
{
    return thread->id == GetCurrentThreadId();
}

static SRWLOCK lock = SRWLOCK_INIT;

void client_lock(void)
{
    AcquireSRWLockExclusive(&lock);
}

void client_unlock(void)
{
    ReleaseSRWLockExclusive(&lock);
}

#else

#include <pthread.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

struct client_thread {
    pthread_t id;
    void (*run)(void *context);
    void *context;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose(void)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        random = (uint64_t)time(NULL) << 32;
    name_process(random ^ (uint64_t)getpid());
}

const char *client_name(void)
{
    pthread_once(&once, choose);
    return name;
}

void client_pause(unsigned milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static void *run(void *context)
{
    struct client_thread *thread = context;
    thread->run(thread->context);
    return NULL;
}

struct client_thread *client_thread_start(void (*start)(void *context), void *context)
{
    struct client_thread *thread = malloc(sizeof *thread);
    if (!thread)
        return NULL;
    thread->run = start;
    thread->context = context;
    if (pthread_create(&thread->id, NULL, run, thread) != 0) {
        free(thread);
        return NULL;
    }
    return thread;
}

void client_thread_join(struct client_thread *thread)
{
    pthread_join(thread->id, NULL);
    free(thread);
}

void client_thread_leave(struct client_thread *thread)
{
    pthread_detach(thread->id);
    free(thread);
}

int client_thread_is_this(const struct client_thread *thread)
{
    return pthread_equal(thread->id, pthread_self());
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void client_lock(void)
{
    pthread_mutex_lock(&lock);
}

void client_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

#endif
