// The parts of libcu++ that kernels use: atomics with scopes, barriers, pipelines, asynchronous copies.
#include <type_traits>
#ifdef __LW_HOST__
#include <atomic>
#else
namespace std {
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
}
#endif
namespace cuda {
using ::std::memory_order;
using ::std::memory_order_relaxed; using ::std::memory_order_consume; using ::std::memory_order_acquire;
using ::std::memory_order_release; using ::std::memory_order_acq_rel; using ::std::memory_order_seq_cst;
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
template <thread_scope S> __device__ inline void __lw_fence() {
    if constexpr (S == thread_scope_system) __threadfence_system();
    else if constexpr (S == thread_scope_device) __threadfence();
    else if constexpr (S == thread_scope_block) __threadfence_block();
}
__device__ inline void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
    if (order == memory_order_relaxed) return;
    if (scope == thread_scope_system) __threadfence_system();
    else if (scope == thread_scope_device) __threadfence();
    else if (scope == thread_scope_block) __threadfence_block();
}
// The integer type that an atomic operation of 2, 4 or 8 bytes uses.
template <int BYTES> struct __lw_atomic_word { typedef unsigned type; };
template <> struct __lw_atomic_word<8> { typedef unsigned long long type; };
template <> struct __lw_atomic_word<2> { typedef unsigned short type; };
#define __LW_SCOPED(NAME, ...)                                                                                        \
    if constexpr (S == thread_scope_system) return NAME##_system(__VA_ARGS__);                                        \
    else if constexpr (S == thread_scope_device) return NAME(__VA_ARGS__);                                            \
    else return NAME##_block(__VA_ARGS__)
#define __LW_ORDERED(...)                                                                                             \
    if (order != memory_order_relaxed) __lw_fence<S>();                                                               \
    auto result = __VA_ARGS__;                                                                                        \
    if (order != memory_order_relaxed && order != memory_order_release) __lw_fence<S>();                              \
    return result
template <class T, thread_scope S> struct __lw_atomic_operations {
    typedef typename __lw_atomic_word<sizeof(T)>::type word;
    __device__ static word __lw_bits(T value) { return *(word *)&value; }
    __device__ static T __lw_value(word bits) { return *(T *)&bits; }
    __device__ static word __lw_exchange(T *at, word value) { __LW_SCOPED(atomicExch, (word *)at, value); }
    __device__ static word __lw_swap(T *at, word expected, word value) { __LW_SCOPED(atomicCAS, (word *)at, expected, value); }
    __device__ static T __lw_load(T *at, memory_order order) {
        if (order == memory_order_seq_cst) __lw_fence<S>();
        word bits = *(volatile word *)at;
        if (order != memory_order_relaxed) __lw_fence<S>();
        return __lw_value(bits);
    }
    __device__ static void __lw_store(T *at, T value, memory_order order) {
        if (order != memory_order_relaxed) __lw_fence<S>();
        *(volatile word *)at = __lw_bits(value);
        if (order == memory_order_seq_cst) __lw_fence<S>();
    }
    __device__ static T exchange_of(T *at, T value, memory_order order) { __LW_ORDERED(__lw_value(__lw_exchange(at, __lw_bits(value)))); }
    __device__ static bool compare_exchange_of(T *at, T &expected, T value, memory_order order) {
        if (order != memory_order_relaxed) __lw_fence<S>();
        word wanted = __lw_bits(expected), found = __lw_swap(at, wanted, __lw_bits(value));
        if (order != memory_order_relaxed) __lw_fence<S>();
        expected = __lw_value(found);
        return found == wanted;
    }
    template <class F> __device__ static T __lw_update(T *at, F update) {
        word old = *(volatile word *)at, seen;
        do {
            seen = old;
            old = __lw_swap(at, seen, __lw_bits(update(__lw_value(seen))));
        } while (old != seen);
        return __lw_value(old);
    }
    __device__ static T __lw_add(T *at, T value) {
        if constexpr (::std::is_integral<T>::value) return (T)__lw_add_word((word *)at, (word)value);
        else if constexpr (::std::is_same<T, float>::value || ::std::is_same<T, double>::value) { __LW_SCOPED(atomicAdd, at, value); }
        else return __lw_update(at, [=](T old) { return (T)(old + value); });
    }
    __device__ static word __lw_add_word(word *at, word value) { __LW_SCOPED(atomicAdd, at, value); }
    __device__ static T fetch_add_of(T *at, T value, memory_order order) { __LW_ORDERED(__lw_add(at, value)); }
#define __LW_BITS(NAME, WORD, FUNCTION)                                                                               \
    __device__ static word WORD(word *at, word value) { __LW_SCOPED(FUNCTION, at, value); }                           \
    __device__ static T NAME(T *at, T value, memory_order order) { __LW_ORDERED((T)WORD((word *)at, (word)value)); }
    __LW_BITS(fetch_and_of, __lw_and_word, atomicAnd) __LW_BITS(fetch_or_of, __lw_or_word, atomicOr)
    __LW_BITS(fetch_xor_of, __lw_xor_word, atomicXor)
#undef __LW_BITS
    __device__ static T fetch_min_of(T *at, T value, memory_order order) { __LW_ORDERED(__lw_update(at, [=](T old) { return value < old ? value : old; })); }
    __device__ static T fetch_max_of(T *at, T value, memory_order order) { __LW_ORDERED(__lw_update(at, [=](T old) { return old < value ? value : old; })); }
};
#define __LW_ATOMIC(CONST)                                                                                            \
    __device__ T load(memory_order order = memory_order_seq_cst) const { return __lw_atomic_operations<T, S>::__lw_load(__lw_at(), order); } \
    __device__ void store(T value, memory_order order = memory_order_seq_cst) CONST { __lw_atomic_operations<T, S>::__lw_store(__lw_at(), value, order); } \
    __device__ T exchange(T value, memory_order order = memory_order_seq_cst) CONST { return __lw_atomic_operations<T, S>::exchange_of(__lw_at(), value, order); } \
    __device__ bool compare_exchange_strong(T &expected, T value, memory_order order = memory_order_seq_cst) CONST { return __lw_atomic_operations<T, S>::compare_exchange_of(__lw_at(), expected, value, order); } \
    __device__ bool compare_exchange_strong(T &expected, T value, memory_order order, memory_order) CONST { return compare_exchange_strong(expected, value, order); } \
    __device__ bool compare_exchange_weak(T &expected, T value, memory_order order = memory_order_seq_cst) CONST { return compare_exchange_strong(expected, value, order); } \
    __device__ bool compare_exchange_weak(T &expected, T value, memory_order order, memory_order) CONST { return compare_exchange_strong(expected, value, order); } \
    __device__ T fetch_add(T value, memory_order order = memory_order_seq_cst) CONST { return __lw_atomic_operations<T, S>::fetch_add_of(__lw_at(), value, order); } \
    __device__ T fetch_sub(T value, memory_order order = memory_order_seq_cst) CONST { return fetch_add((T)(0 - value), order); } \
    __device__ T fetch_and(T value, memory_order order = memory_order_seq_cst) CONST { return __lw_atomic_operations<T, S>::fetch_and_of(__lw_at(), value, order); } \
    __device__ T fetch_or(T value, memory_order order = memory_order_seq_cst) CONST { return __lw_atomic_operations<T, S>::fetch_or_of(__lw_at(), value, order); } \
    __device__ T fetch_xor(T value, memory_order order = memory_order_seq_cst) CONST { return __lw_atomic_operations<T, S>::fetch_xor_of(__lw_at(), value, order); } \
    __device__ T fetch_min(T value, memory_order order = memory_order_seq_cst) CONST { return __lw_atomic_operations<T, S>::fetch_min_of(__lw_at(), value, order); } \
    __device__ T fetch_max(T value, memory_order order = memory_order_seq_cst) CONST { return __lw_atomic_operations<T, S>::fetch_max_of(__lw_at(), value, order); } \
    __device__ operator T() const { return load(); }                                                                  \
    __device__ T operator=(T value) CONST { store(value); return value; }                                             \
    __device__ T operator++(int) CONST { return fetch_add((T)1); }                                                    \
    __device__ T operator--(int) CONST { return fetch_sub((T)1); }                                                    \
    __device__ T operator++() CONST { return (T)(fetch_add((T)1) + 1); }                                              \
    __device__ T operator--() CONST { return (T)(fetch_sub((T)1) - 1); }                                              \
    __device__ T operator+=(T value) CONST { return (T)(fetch_add(value) + value); }                                  \
    __device__ T operator-=(T value) CONST { return (T)(fetch_sub(value) - value); }                                  \
    __device__ T operator&=(T value) CONST { return (T)(fetch_and(value) & value); }                                  \
    __device__ T operator|=(T value) CONST { return (T)(fetch_or(value) | value); }                                   \
    __device__ bool is_lock_free() const { return true; }                                                             \
    __device__ void wait(T old, memory_order order = memory_order_seq_cst) const { while (load(order) == old) {} }    \
    __device__ void notify_one() CONST {}                                                                             \
    __device__ void notify_all() CONST {}
template <class T, thread_scope S = thread_scope_system> struct atomic_ref {
    T *__lw_place;
    __host__ __device__ explicit atomic_ref(T &place) : __lw_place(&place) {}
    __device__ T *__lw_at() const { return __lw_place; }
    __LW_ATOMIC(const)
};
template <class T, thread_scope S = thread_scope_system> struct atomic {
    T __lw_kept;
    atomic() = default;
    __host__ __device__ constexpr atomic(T value) : __lw_kept(value) {}
    __device__ T *__lw_at() const { return (T *)&__lw_kept; }
    __LW_ATOMIC()
};
#undef __LW_ATOMIC
#undef __LW_ORDERED
#undef __LW_SCOPED
// Barriers: mbarrier objects of a block.
template <int N> struct aligned_size_t {
    static constexpr size_t align = N;
    size_t value;
    __host__ __device__ constexpr explicit aligned_size_t(size_t size) : value(size) {}
    __host__ __device__ constexpr operator size_t() const { return value; }
};
template <thread_scope S, class Completion = void> struct barrier {
    typedef unsigned long long arrival_token;
    unsigned long long __lw_state;
    barrier() = default;
    __device__ unsigned __lw_place() const { return (unsigned)__cvta_generic_to_shared(&__lw_state); }
    __device__ arrival_token arrive(long count = 1) {
        arrival_token token = 0;
        for (long i = 0; i < count; i++) asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(__lw_place()) : "memory");
        return token;
    }
    __device__ void wait(arrival_token token) const {
        unsigned done;
        do {
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(__lw_place()), "l"(token) : "memory");
        } while (!done);
    }
    __device__ void wait_parity(bool parity) const {
        unsigned done;
        do {
            asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(__lw_place()), "r"((unsigned)parity) : "memory");
        } while (!done);
    }
    __device__ void arrive_and_wait() { wait(arrive()); }
    __device__ void arrive_and_drop() { asm volatile("{ .reg .b64 t; mbarrier.arrive_drop.shared.b64 t, [%0]; }" ::"r"(__lw_place()) : "memory"); }
};
template <thread_scope S, class C> __device__ inline void init(barrier<S, C> *made, long count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(made->__lw_place()), "r"((unsigned)count) : "memory");
}
template <thread_scope S, class C> __device__ inline unsigned long long *barrier_native_handle(barrier<S, C> &of) { return &of.__lw_state; }
// Copies from global to shared memory: with cp.async where size and addresses allow, otherwise with loads and stores.
__device__ inline void __lw_copy_async(void *to, const void *from, size_t bytes, size_t align) {
    char *target = (char *)to;
    const char *source = (const char *)from;
    size_t done = 0;
    bool async = __isShared(to) && __isGlobal(from);
    if (async && align >= 16) for (; done + 16 <= bytes; done += 16) __pipeline_memcpy_async(target + done, source + done, 16);
    if (async && align >= 8) for (; done + 8 <= bytes; done += 8) __pipeline_memcpy_async(target + done, source + done, 8);
    if (async && align >= 4) for (; done + 4 <= bytes; done += 4) __pipeline_memcpy_async(target + done, source + done, 4);
    for (; done < bytes; done++) target[done] = source[done];
}
template <class T> __device__ inline size_t __lw_copy_align(T *, size_t) { return alignof(T); }
template <int N> __device__ inline size_t __lw_size_align(aligned_size_t<N>) { return N; }
__device__ inline size_t __lw_size_align(size_t) { return 1; }
template <thread_scope S> struct pipeline;
template <thread_scope S, unsigned char STAGES> struct pipeline_shared_state {
    barrier<thread_scope_block> produced[STAGES], consumed[STAGES];
};
enum class pipeline_role { producer, consumer };
template <> struct pipeline<thread_scope_thread> {
    __device__ void producer_acquire() {}
    __device__ void producer_commit() { __pipeline_commit(); }
    __device__ void consumer_wait() { __pipeline_wait_prior(0); }
    __device__ void consumer_release() {}
    __device__ bool quit() { return true; }
};
// A pipeline shared by a block. Each stage has two barriers: producers arrive when their copies are done, consumers after use.
template <> struct pipeline<thread_scope_block> {
    barrier<thread_scope_block> *produced, *consumed;
    unsigned stages, head, tail, head_parity, tail_parity;
    __device__ void producer_acquire() { consumed[head].wait_parity(head_parity); }
    __device__ void producer_commit() {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(produced[head].__lw_place()) : "memory");
        if (++head == stages) { head = 0; head_parity ^= 1; }
    }
    __device__ void consumer_wait() { produced[tail].wait_parity(tail_parity); }
    __device__ void consumer_release() {
        consumed[tail].arrive();
        if (++tail == stages) { tail = 0; tail_parity ^= 1; }
    }
    __device__ bool quit() { return true; }
};
__device__ inline pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>{}; }
template <class Group, unsigned char N> __device__ inline pipeline<thread_scope_block> __lw_block_pipeline(const Group &group, pipeline_shared_state<thread_scope_block, N> *state, unsigned producers, unsigned consumers) {
    if (group.thread_rank() == 0)
        for (int i = 0; i < N; i++) { init(&state->produced[i], producers); init(&state->consumed[i], consumers); }
    group.sync();
    return pipeline<thread_scope_block>{state->produced, state->consumed, N, 0, 0, 1, 0};
}
template <class Group, unsigned char N> __device__ inline pipeline<thread_scope_block> make_pipeline(const Group &group, pipeline_shared_state<thread_scope_block, N> *state) {
    return __lw_block_pipeline(group, state, (unsigned)group.size(), (unsigned)group.size());
}
template <class Group, unsigned char N> __device__ inline pipeline<thread_scope_block> make_pipeline(const Group &group, pipeline_shared_state<thread_scope_block, N> *state, size_t producers) {
    return __lw_block_pipeline(group, state, (unsigned)producers, (unsigned)(group.size() - producers));
}
template <class Group, unsigned char N> __device__ inline pipeline<thread_scope_block> make_pipeline(const Group &group, pipeline_shared_state<thread_scope_block, N> *state, pipeline_role role) {
    unsigned producers = __syncthreads_count(role == pipeline_role::producer);
    return __lw_block_pipeline(group, state, producers, (unsigned)group.size() - producers);
}
template <unsigned char PRIOR> __device__ inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &) { __pipeline_wait_prior(PRIOR); }
template <class T, class Size, thread_scope S> __device__ inline void memcpy_async(T *to, const T *from, Size size, pipeline<S> &) {
    __lw_copy_async(to, from, size, __lw_size_align(size) > alignof(T) ? __lw_size_align(size) : alignof(T));
}
template <class T, class Size, class C> __device__ inline void memcpy_async(T *to, const T *from, Size size, barrier<thread_scope_block, C> &bar) {
    __lw_copy_async(to, from, size, __lw_size_align(size) > alignof(T) ? __lw_size_align(size) : alignof(T));
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(bar.__lw_place()) : "memory");
}
template <class Group, class T, class Size, class Target> __device__ inline void memcpy_async(const Group &group, T *to, const T *from, Size size, Target &target) {
    size_t bytes = size, align = __lw_size_align(size) > alignof(T) ? __lw_size_align(size) : alignof(T);
    size_t step = align >= 16 ? 16 : align;
    for (size_t at = group.thread_rank() * step; at < bytes; at += (size_t)group.size() * step)
        __lw_copy_async((char *)to + at, (const char *)from + at, at + step <= bytes ? step : bytes - at, align);
    __lw_arrive_after_copies(target);
}
template <class C> __device__ inline void __lw_arrive_after_copies(barrier<thread_scope_block, C> &bar) {
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(bar.__lw_place()) : "memory");
}
template <thread_scope S> __device__ inline void __lw_arrive_after_copies(pipeline<S> &) {}
// Latches and semaphores, which wait by polling.
template <thread_scope S = thread_scope_system> struct latch {
    atomic<long, S> __lw_left;
    __host__ __device__ constexpr explicit latch(long expected) : __lw_left(expected) {}
    latch(const latch &) = delete;
    __host__ __device__ static constexpr long max() { return 0x7fffffffffffffffL; }
    __device__ void count_down(long by = 1) { __lw_left.fetch_sub(by, memory_order_release); }
    __device__ bool try_wait() const { return __lw_left.load(memory_order_acquire) == 0; }
    __device__ void wait() const { while (!try_wait()) {} }
    __device__ void arrive_and_wait(long by = 1) {
        count_down(by);
        wait();
    }
};
template <thread_scope S = thread_scope_system, long Most = 0x7fffffff> struct counting_semaphore {
    atomic<long, S> __lw_free;
    counting_semaphore() = default;
    __host__ __device__ constexpr explicit counting_semaphore(long free) : __lw_free(free) {}
    counting_semaphore(const counting_semaphore &) = delete;
    __host__ __device__ static constexpr long max() { return Most; }
    __device__ void release(long by = 1) { __lw_free.fetch_add(by, memory_order_release); }
    __device__ bool try_acquire() {
        long free = __lw_free.load(memory_order_relaxed);
        while (free > 0) {
            if (__lw_free.compare_exchange_weak(free, free - 1, memory_order_acquire)) return true;
        }
        return false;
    }
    __device__ void acquire() { while (!try_acquire()) {} }
};
template <thread_scope S = thread_scope_system> using binary_semaphore = counting_semaphore<S, 1>;
} // namespace cuda
