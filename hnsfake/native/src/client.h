/* This process as a client of HNS: its name, its patience, its threads. */
#ifndef HNSFAKE_CLIENT_H
#define HNSFAKE_CLIENT_H

/* A name that no other process has: a handle is good in the process that opened it. */
const char *client_name(void);

/* How long to wait for an answer: HNSFAKE_TIMEOUT (seconds), or a minute. */
unsigned client_patience(void);

void client_pause(unsigned milliseconds);

/* A thread, and waiting for its end. NULL where none can be had. */
struct client_thread;
struct client_thread *client_thread_start(void (*run)(void *context), void *context);
void client_thread_join(struct client_thread *thread);
/* Lets a thread end without being waited for. */
void client_thread_leave(struct client_thread *thread);
/* True in that thread itself. */
int client_thread_is_this(const struct client_thread *thread);

/* One lock for what this process shares between its threads; never held during a call. */
void client_lock(void);
void client_unlock(void);

#endif
