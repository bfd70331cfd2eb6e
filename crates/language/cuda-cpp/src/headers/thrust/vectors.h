// Thrust's vectors. A device vector is in managed memory, so host code reads its elements without copies.
#include <vector>
namespace thrust {
template <class T> struct device_allocator { typedef T value_type; };
template <class T> struct device_malloc_allocator { typedef T value_type; };
template <class T, bool DEVICE> struct __lw_vector {
    typedef T value_type;
    typedef T &reference;
    typedef const T &const_reference;
    typedef T *pointer;
    typedef T *iterator;
    typedef const T *const_iterator;
    typedef thrust::reverse_iterator<T *> reverse_iterator;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    T *first = nullptr;
    size_t count = 0, room = 0;
    __lw_vector() {}
    explicit __lw_vector(size_t n) { resize(n); }
    __lw_vector(size_t n, const T &value) { assign(n, value); }
    template <class I, std::enable_if_t<!std::is_arithmetic_v<I>, int> = 0> __lw_vector(I from, I to) { assign(from, to); }
    __lw_vector(std::initializer_list<T> list) { assign(list.begin(), list.end()); }
    __lw_vector(const __lw_vector &other) { assign(other.first, other.first + other.count); }
    __lw_vector(__lw_vector &&other) { swap(other); }
    template <class U, bool D> __lw_vector(const __lw_vector<U, D> &other) { assign(other.first, other.first + other.count); }
    template <class U> __lw_vector(const std::vector<U> &other) { assign(other.begin(), other.end()); }
    ~__lw_vector() { release(); }
    __lw_vector &operator=(const __lw_vector &other) { if (this != &other) assign(other.first, other.first + other.count); return *this; }
    __lw_vector &operator=(__lw_vector &&other) { swap(other); return *this; }
    template <class U, bool D> __lw_vector &operator=(const __lw_vector<U, D> &other) { assign(other.first, other.first + other.count); return *this; }
    template <class U> __lw_vector &operator=(const std::vector<U> &other) { assign(other.begin(), other.end()); return *this; }
    void release() {
        if (DEVICE) cudaFree((void *)first); else free((void *)first);
        first = nullptr;
        count = room = 0;
    }
    // Waits for kernels that may use the elements.
    static void wait() { if (DEVICE) cudaDeviceSynchronize(); }
    void reserve(size_t n) {
        if (n <= room) return;
        T *next = nullptr;
        if (DEVICE) cudaMallocManaged(&next, n * sizeof(T)); else next = (T *)malloc(n * sizeof(T));
        if (!next) throw std::bad_alloc();
        wait();
        for (size_t i = 0; i < count; i++) new ((void *)(next + i)) T(static_cast<T &&>(first[i]));
        size_t n0 = count;
        release();
        first = next;
        count = n0;
        room = n;
    }
    void resize(size_t n) {
        reserve(n);
        wait();
        if constexpr (std::is_arithmetic_v<T>) { if (n > count) memset((void *)(first + count), 0, (n - count) * sizeof(T)); }
        else for (size_t i = count; i < n; i++) new ((void *)(first + i)) T();
        count = n;
    }
    void resize(size_t n, const T &value) {
        T copy(value);
        reserve(n);
        wait();
        for (size_t i = count; i < n; i++) new ((void *)(first + i)) T(copy);
        count = n;
    }
    void assign(size_t n, const T &value) { T copy(value); count = 0; resize(n, copy); }
    template <class I, std::enable_if_t<!std::is_arithmetic_v<I>, int> = 0> void assign(I from, I to) {
        __lw_device_access access;
        size_t n = to - from;
        count = 0;
        reserve(n);
        wait();
        for (; count < n; count++, ++from) new ((void *)(first + count)) T(*from);
    }
    void push_back(const T &value) {
        T copy(value);
        if (count == room) reserve(count ? 2 * count : 4);
        wait();
        new ((void *)(first + count++)) T(copy);
    }
    void pop_back() { count--; }
    T *erase(T *from, T *to) {
        wait();
        size_t n = to - from;
        for (T *at = from; at + n != first + count; ++at) *at = at[n];
        count -= n;
        return from;
    }
    T *erase(T *place) { return erase(place, place + 1); }
    template <class I> T *insert_range(T *place, I from, I to) {
        size_t at = place - first, n = to - from;
        __lw_vector held(from, to);
        reserve(count + n);
        wait();
        for (size_t i = count; i > at; i--) new ((void *)(first + i - 1 + n)) T(first[i - 1]);
        for (size_t i = 0; i < n; i++) new ((void *)(first + at + i)) T(held.first[i]);
        count += n;
        return first + at;
    }
    template <class I, std::enable_if_t<!std::is_arithmetic_v<I>, int> = 0> T *insert(T *place, I from, I to) { return insert_range(place, from, to); }
    T *insert(T *place, const T &value) { return insert_range(place, &value, &value + 1); }
    void clear() { count = 0; }
    void shrink_to_fit() {}
    void swap(__lw_vector &other) {
        T *f = first; first = other.first; other.first = f;
        size_t n = count; count = other.count; other.count = n;
        n = room; room = other.room; other.room = n;
    }
    size_t size() const { return count; }
    size_t capacity() const { return room; }
    size_t max_size() const { return ~0ul / 2 / sizeof(T); }
    bool empty() const { return count == 0; }
    T &operator[](size_t i) { wait(); return first[i]; }
    const T &operator[](size_t i) const { wait(); return first[i]; }
    T &front() { wait(); return first[0]; }
    T &back() { wait(); return first[count - 1]; }
    const T &front() const { wait(); return first[0]; }
    const T &back() const { wait(); return first[count - 1]; }
    T *begin() { wait(); return first; }
    T *end() { return first + count; }
    const T *begin() const { wait(); return first; }
    const T *end() const { return first + count; }
    const T *cbegin() const { wait(); return first; }
    const T *cend() const { return first + count; }
    reverse_iterator rbegin() { wait(); return reverse_iterator(first + count); }
    reverse_iterator rend() { return reverse_iterator(first); }
};
template <class T, class A = device_allocator<T>> struct device_vector : __lw_vector<T, true> {
    typedef A allocator_type;
    using __lw_vector<T, true>::__lw_vector;
    device_vector() {}
    device_vector(const device_vector &other) : __lw_vector<T, true>(other) {}
    device_vector(device_vector &&other) : __lw_vector<T, true>(static_cast<__lw_vector<T, true> &&>(other)) {}
    device_vector &operator=(const device_vector &other) { __lw_vector<T, true>::operator=(other); return *this; }
    device_vector &operator=(device_vector &&other) { this->swap(other); return *this; }
    template <class V> device_vector &operator=(const V &other) { __lw_vector<T, true>::operator=(other); return *this; }
    device_ptr<T> data() { return device_ptr<T>(this->first); }
    device_ptr<const T> data() const { return device_ptr<const T>(this->first); }
};
template <class T, class A = device_allocator<T>> struct host_vector : __lw_vector<T, false> {
    using __lw_vector<T, false>::__lw_vector;
    host_vector() {}
    host_vector(const host_vector &other) : __lw_vector<T, false>(other) {}
    host_vector(host_vector &&other) : __lw_vector<T, false>(static_cast<__lw_vector<T, false> &&>(other)) {}
    host_vector &operator=(const host_vector &other) { __lw_vector<T, false>::operator=(other); return *this; }
    host_vector &operator=(host_vector &&other) { this->swap(other); return *this; }
    template <class V> host_vector &operator=(const V &other) { __lw_vector<T, false>::operator=(other); return *this; }
    T *data() { return this->first; }
    const T *data() const { return this->first; }
};
template <class T> using universal_vector = device_vector<T>;
template <class T, bool D, bool E> inline bool operator==(const __lw_vector<T, D> &a, const __lw_vector<T, E> &b) {
    return a.count == b.count && thrust::equal(a.begin(), a.end(), b.begin());
}
template <class T, bool D, bool E> inline bool operator!=(const __lw_vector<T, D> &a, const __lw_vector<T, E> &b) { return !(a == b); }
template <class T> inline device_ptr<T> device_malloc(size_t n) { T *at = nullptr; cudaMalloc(&at, n * sizeof(T)); return device_ptr<T>(at); }
template <class T> inline void device_free(const device_ptr<T> &at) { cudaFree((void *)at.get()); }
} // namespace thrust
