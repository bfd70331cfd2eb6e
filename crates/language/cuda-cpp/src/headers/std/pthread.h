// <pthread.h>: a thread runs to its end where it is created, as `std::thread` does.
struct __lw_pthread { void *result; };
typedef __lw_pthread *pthread_t;
typedef int pthread_attr_t;
typedef int pthread_mutexattr_t;
typedef int pthread_condattr_t;
typedef int pthread_barrierattr_t;
typedef int pthread_once_t;
struct pthread_mutex_t { int locked; };
struct pthread_cond_t { int waiting; };
struct pthread_barrier_t { unsigned count; };
#define PTHREAD_MUTEX_INITIALIZER {0}
#define PTHREAD_COND_INITIALIZER {0}
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
inline __lw_pthread __lw_main_thread;
inline pthread_t __lw_current_thread = &__lw_main_thread;
inline int pthread_create(pthread_t *thread, const pthread_attr_t *, void *(*start)(void *), void *argument) {
    pthread_t outer = __lw_current_thread;
    *thread = (pthread_t)malloc(sizeof(__lw_pthread));
    __lw_current_thread = *thread;
    { __lw_host_function outside(0); (*thread)->result = start(argument); }
    __lw_current_thread = outer;
    return 0;
}
inline int pthread_join(pthread_t thread, void **result) {
    if (result) *result = thread->result;
    free(thread);
    return 0;
}
inline int pthread_detach(pthread_t) { return 0; }
inline pthread_t pthread_self() { return __lw_current_thread; }
inline int pthread_equal(pthread_t a, pthread_t b) { return a == b; }
inline int pthread_attr_init(pthread_attr_t *) { return 0; }
inline int pthread_attr_destroy(pthread_attr_t *) { return 0; }
inline int pthread_attr_setdetachstate(pthread_attr_t *, int) { return 0; }
inline int pthread_attr_setstacksize(pthread_attr_t *, size_t) { return 0; }
inline int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *) { mutex->locked = 0; return 0; }
inline int pthread_mutex_destroy(pthread_mutex_t *) { return 0; }
inline int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (mutex->locked) __lw_fault("pthread_mutex_lock waits for ever: threads run one after the other");
    mutex->locked = 1;
    return 0;
}
inline int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    if (mutex->locked) return EBUSY;
    mutex->locked = 1;
    return 0;
}
inline int pthread_mutex_unlock(pthread_mutex_t *mutex) { mutex->locked = 0; return 0; }
inline int pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *) { return 0; }
inline int pthread_cond_destroy(pthread_cond_t *) { return 0; }
inline int pthread_cond_signal(pthread_cond_t *) { return 0; }
inline int pthread_cond_broadcast(pthread_cond_t *) { return 0; }
inline int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *) {
    __lw_fault("pthread_cond_wait waits for ever: threads run one after the other");
    return 0;
}
inline int pthread_once(pthread_once_t *once, void (*start)()) {
    if (*once == 0) { *once = 1; start(); }
    return 0;
}
