// Parts of the C++ library that host code of programs uses.
namespace std {
template <class T> struct initializer_list {
    const T *first;
    size_t count;
    const T *begin() const { return first; }
    const T *end() const { return first + count; }
    size_t size() const { return count; }
};
template <class T> struct vector {
    typedef T value_type;
    typedef T *iterator;
    typedef const T *const_iterator;
    T *first;
    size_t count, room;
    vector() : first(nullptr), count(0), room(0) {}
    explicit vector(size_t n) : first(nullptr), count(0), room(0) { resize(n); }
    vector(size_t n, const T &value) : first(nullptr), count(0), room(0) { assign(n, value); }
    vector(const T *from, const T *to) : first(nullptr), count(0), room(0) {
        reserve(to - from);
        for (; from != to; ++from) push_back(*from);
    }
    vector(initializer_list<T> list) : first(nullptr), count(0), room(0) {
        reserve(list.size());
        for (const T &value : list) push_back(value);
    }
    vector(const vector &other) : first(nullptr), count(0), room(0) {
        reserve(other.count);
        for (size_t i = 0; i < other.count; i++) push_back(other.first[i]);
    }
    vector(vector &&other) : first(other.first), count(other.count), room(other.room) {
        other.first = nullptr;
        other.count = other.room = 0;
    }
    ~vector() { clear(); free((void *)first); }
    vector &operator=(const vector &other) {
        if (this == &other) return *this;
        clear();
        for (size_t i = 0; i < other.count; i++) push_back(other.first[i]);
        return *this;
    }
    vector &operator=(vector &&other) {
        swap(other);
        return *this;
    }
    void swap(vector &other) {
        T *f = first; first = other.first; other.first = f;
        size_t n = count; count = other.count; other.count = n;
        n = room; room = other.room; other.room = n;
    }
    void assign(size_t n, const T &value) {
        clear();
        reserve(n);
        while (count < n) push_back(value);
    }
    void reserve(size_t n) {
        if (n <= room) return;
        T *next = (T *)malloc(n * sizeof(T));
        for (size_t i = 0; i < count; i++) {
            new (next + i) T(static_cast<T &&>(first[i]));
            first[i].~T();
        }
        free((void *)first);
        first = next;
        room = n;
    }
    void resize(size_t n) {
        reserve(n);
        for (; count < n; count++) new (first + count) T();
        for (; count > n; count--) first[count - 1].~T();
    }
    void resize(size_t n, const T &value) {
        reserve(n);
        while (count < n) push_back(value);
        for (; count > n; count--) first[count - 1].~T();
    }
    void push_back(const T &value) {
        if (count == room) {
            T copy(value);
            reserve(room ? 2 * room : 4);
            new (first + count++) T(copy);
            return;
        }
        new (first + count++) T(value);
    }
    template <class... A> T &emplace_back(A &&...a) {
        if (count == room) reserve(room ? 2 * room : 4);
        new (first + count) T(static_cast<A &&>(a)...);
        return first[count++];
    }
    void pop_back() { first[--count].~T(); }
    void clear() { for (; count > 0; count--) first[count - 1].~T(); }
    size_t size() const { return count; }
    size_t capacity() const { return room; }
    bool empty() const { return count == 0; }
    T *data() { return first; }
    const T *data() const { return first; }
    T &operator[](size_t i) { return first[i]; }
    const T &operator[](size_t i) const { return first[i]; }
    T &at(size_t i) { if (i >= count) __lw_throw(); return first[i]; }
    T &front() { return first[0]; }
    T &back() { return first[count - 1]; }
    T *begin() { return first; }
    T *end() { return first + count; }
    const T *begin() const { return first; }
    const T *end() const { return first + count; }
};
template <class T> inline bool operator==(const vector<T> &a, const vector<T> &b) {
    if (a.count != b.count) return false;
    for (size_t i = 0; i < a.count; i++)
        if (!(a.first[i] == b.first[i])) return false;
    return true;
}
template <class T> inline bool operator!=(const vector<T> &a, const vector<T> &b) { return !(a == b); }
template <class I, class T> inline void fill(I first, I last, const T &value) { for (; first != last; ++first) *first = value; }
template <class I, class T> inline void iota(I first, I last, T value) { for (; first != last; ++first, ++value) *first = value; }
template <class I, class T> inline T accumulate(I first, I last, T sum) { for (; first != last; ++first) sum = sum + *first; return sum; }
template <class I, class O> inline O copy(I first, I last, O to) { for (; first != last; ++first, ++to) *to = *first; return to; }
template <class I, class G> inline void generate(I first, I last, G make) { for (; first != last; ++first) *first = make(); }
template <class I> inline I max_element(I first, I last) { I best = first; for (; first != last; ++first) if (*best < *first) best = first; return best; }
template <class I> inline I min_element(I first, I last) { I best = first; for (; first != last; ++first) if (*first < *best) best = first; return best; }
template <class I> inline bool equal(I first, I last, I other) { for (; first != last; ++first, ++other) if (!(*first == *other)) return false; return true; }
template <class T, class F> inline void __lw_sift(T *list, size_t at, size_t count, F less) {
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && less(list[child], list[child + 1])) child++;
        if (!less(list[at], list[child])) return;
        T held = list[at]; list[at] = list[child]; list[child] = held;
    }
}
template <class T, class F> inline void sort(T *first, T *last, F less) {
    size_t count = last - first;
    for (size_t at = count / 2; at-- > 0;) __lw_sift(first, at, count, less);
    for (size_t end = count; end-- > 1;) {
        T held = first[0]; first[0] = first[end]; first[end] = held;
        __lw_sift(first, 0, end, less);
    }
}
template <class T> inline void sort(T *first, T *last) { sort(first, last, [](const T &a, const T &b) { return a < b; }); }
template <long N, long D = 1> struct ratio { static constexpr long num = N, den = D; };
typedef ratio<1, 1000> milli;
typedef ratio<1, 1000000> micro;
typedef ratio<1, 1000000000> nano;
namespace chrono {
struct __lw_span {
    long value;
    long nanoseconds_of() const { return value; }
    long count() const { return value; }
};
template <class R, class P = ratio<1>> struct duration {
    typedef R rep;
    R value;
    duration() : value(0) {}
    explicit duration(R v) : value(v) {}
    duration(__lw_span span) : value((R)((double)span.value * P::den / P::num / 1e9)) {}
    long nanoseconds_of() const { return (long)((double)value * P::num / P::den * 1e9); }
    R count() const { return value; }
};
typedef duration<long, nano> nanoseconds;
typedef duration<long, micro> microseconds;
typedef duration<long, milli> milliseconds;
typedef duration<long> seconds;
struct __lw_time {
    long nanoseconds_since;
    __lw_span time_since_epoch() const { return __lw_span{nanoseconds_since}; }
};
inline __lw_span operator-(__lw_time a, __lw_time b) { return __lw_span{a.nanoseconds_since - b.nanoseconds_since}; }
template <class D, class S> inline D duration_cast(const S &from) { return D(__lw_span{from.nanoseconds_of()}); }
struct steady_clock {
    typedef __lw_time time_point;
    static __lw_time now() { return __lw_time{(long)__lw_elapsed()}; }
};
typedef steady_clock high_resolution_clock;
typedef steady_clock system_clock;
}
struct ostream {
    FILE *file;
    int digits;
    bool fixed_point;
    ostream &write(const char *text) { fputs(text, file); return *this; }
};
inline ostream cout{stdout, 6, false};
inline ostream cerr{stderr, 6, false};
inline ostream &operator<<(ostream &out, const char *text) { return out.write(text); }
inline ostream &operator<<(ostream &out, char c) { fputc(c, out.file); return out; }
inline ostream &operator<<(ostream &out, bool v) { fprintf(out.file, "%d", (int)v); return out; }
inline ostream &operator<<(ostream &out, int v) { fprintf(out.file, "%d", v); return out; }
inline ostream &operator<<(ostream &out, unsigned v) { fprintf(out.file, "%u", v); return out; }
inline ostream &operator<<(ostream &out, long v) { fprintf(out.file, "%ld", v); return out; }
inline ostream &operator<<(ostream &out, unsigned long v) { fprintf(out.file, "%lu", v); return out; }
inline ostream &operator<<(ostream &out, long long v) { fprintf(out.file, "%lld", v); return out; }
inline ostream &operator<<(ostream &out, unsigned long long v) { fprintf(out.file, "%llu", v); return out; }
inline ostream &operator<<(ostream &out, double v) { fprintf(out.file, out.fixed_point ? "%.*f" : "%.*g", out.digits, v); return out; }
inline ostream &operator<<(ostream &out, float v) { return out << (double)v; }
inline ostream &operator<<(ostream &out, const void *v) { fprintf(out.file, "%p", v); return out; }
inline ostream &operator<<(ostream &out, ostream &(*change)(ostream &)) { return change(out); }
inline ostream &endl(ostream &out) { fputc('\n', out.file); fflush(out.file); return out; }
inline ostream &flush(ostream &out) { fflush(out.file); return out; }
inline ostream &fixed(ostream &out) { out.fixed_point = true; return out; }
struct __lw_precision { int digits; };
inline __lw_precision setprecision(int digits) { return __lw_precision{digits}; }
inline ostream &operator<<(ostream &out, __lw_precision p) { out.digits = p.digits; return out; }
}
