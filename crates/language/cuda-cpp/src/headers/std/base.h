// The foundation of the other parts of the C++ library: exceptions, initializer lists, iterators, and `vector`.
#include <type_traits>
namespace std {
template <class T> struct initializer_list {
    typedef T value_type;
    const T *first;
    size_t count;
    const T *begin() const { return first; }
    const T *end() const { return first + count; }
    size_t size() const { return count; }
};
// `typeid`: the compiler's description of a type.
struct type_info {
    const char *__lw_name;
    size_t __lw_bases;
    const char *__lw_mangled;
    type_info(const type_info &) = delete;
    const char *name() const { return __lw_mangled; }
    size_t hash_code() const { return (size_t)this; }
    bool before(const type_info &other) const { return this < &other; }
    bool operator==(const type_info &other) const { return this == &other; }
    bool operator!=(const type_info &other) const { return this != &other; }
};
struct type_index {
    const type_info *info;
    type_index(const type_info &i) : info(&i) {}
    const char *name() const { return info->name(); }
    size_t hash_code() const { return info->hash_code(); }
    bool operator==(const type_index &other) const { return info == other.info; }
    bool operator!=(const type_index &other) const { return info != other.info; }
    bool operator<(const type_index &other) const { return info < other.info; }
};
struct exception {
    exception() {}
    virtual ~exception() {}
    virtual const char *what() const noexcept { return "std::exception"; }
};
// An exception with a message.
struct __lw_error : exception {
    char *text;
    explicit __lw_error(const char *t) : text(strdup(t)) {}
    __lw_error(const __lw_error &other) : text(strdup(other.text)) {}
    __lw_error &operator=(const __lw_error &other) {
        if (this != &other) { free(text); text = strdup(other.text); }
        return *this;
    }
    ~__lw_error() { free(text); }
    const char *what() const noexcept override { return text; }
};
#define __LW_ERROR(NAME, BASE)                                                                                        \
    struct NAME : BASE {                                                                                              \
        explicit NAME(const char *t) : BASE(t) {}                                                                     \
        template <class S> explicit NAME(const S &t) : BASE(t.c_str()) {}                                             \
    };
__LW_ERROR(logic_error, __lw_error) __LW_ERROR(runtime_error, __lw_error) __LW_ERROR(invalid_argument, logic_error)
__LW_ERROR(out_of_range, logic_error) __LW_ERROR(domain_error, logic_error) __LW_ERROR(length_error, logic_error)
__LW_ERROR(range_error, runtime_error) __LW_ERROR(overflow_error, runtime_error)
__LW_ERROR(underflow_error, runtime_error)
#undef __LW_ERROR
struct bad_alloc : exception { const char *what() const noexcept override { return "std::bad_alloc"; } };
struct bad_cast : exception { const char *what() const noexcept override { return "std::bad_cast"; } };
struct bad_function_call : exception { const char *what() const noexcept override { return "bad_function_call"; } };
struct bad_optional_access : exception { const char *what() const noexcept override { return "bad optional access"; } };
inline void terminate() { abort(); }
inline int uncaught_exceptions() { return __lw_pending ? 1 : 0; }
struct input_iterator_tag {};
struct output_iterator_tag {};
struct forward_iterator_tag : input_iterator_tag {};
struct bidirectional_iterator_tag : forward_iterator_tag {};
struct random_access_iterator_tag : bidirectional_iterator_tag {};
template <class I> struct iterator_traits {
    typedef typename I::value_type value_type;
    typedef typename I::reference reference;
    typedef typename I::pointer pointer;
    typedef typename I::difference_type difference_type;
    typedef typename I::iterator_category iterator_category;
};
template <class T> struct iterator_traits<T *> {
    typedef typename remove_cv<T>::type value_type;
    typedef T &reference;
    typedef T *pointer;
    typedef ptrdiff_t difference_type;
    typedef random_access_iterator_tag iterator_category;
};
template <class I> struct reverse_iterator {
    typedef typename iterator_traits<I>::value_type value_type;
    typedef typename iterator_traits<I>::reference reference;
    typedef typename iterator_traits<I>::pointer pointer;
    typedef ptrdiff_t difference_type;
    typedef typename iterator_traits<I>::iterator_category iterator_category;
    I at;
    reverse_iterator() : at() {}
    explicit reverse_iterator(I i) : at(i) {}
    I base() const { return at; }
    reference operator*() const { I i = at; --i; return *i; }
    pointer operator->() const { I i = at; --i; return &*i; }
    reverse_iterator &operator++() { --at; return *this; }
    reverse_iterator &operator--() { ++at; return *this; }
    reverse_iterator operator++(int) { reverse_iterator old = *this; --at; return old; }
    reverse_iterator operator--(int) { reverse_iterator old = *this; ++at; return old; }
    reverse_iterator operator+(ptrdiff_t n) const { return reverse_iterator(at - n); }
    reverse_iterator operator-(ptrdiff_t n) const { return reverse_iterator(at + n); }
    reverse_iterator &operator+=(ptrdiff_t n) { at = at - n; return *this; }
    reference operator[](ptrdiff_t n) const { return *(*this + n); }
};
template <class I> inline bool operator==(const reverse_iterator<I> &a, const reverse_iterator<I> &b) { return a.at == b.at; }
template <class I> inline bool operator!=(const reverse_iterator<I> &a, const reverse_iterator<I> &b) { return a.at != b.at; }
template <class I> inline bool operator<(const reverse_iterator<I> &a, const reverse_iterator<I> &b) { return b.at < a.at; }
template <class I> inline ptrdiff_t operator-(const reverse_iterator<I> &a, const reverse_iterator<I> &b) { return b.at - a.at; }
template <class C> inline auto begin(C &c) { return c.begin(); }
template <class C> inline auto end(C &c) { return c.end(); }
template <class C> inline auto cbegin(const C &c) { return c.begin(); }
template <class C> inline auto cend(const C &c) { return c.end(); }
template <class C> inline auto rbegin(C &c) { return c.rbegin(); }
template <class C> inline auto rend(C &c) { return c.rend(); }
template <class T, size_t N> inline T *begin(T (&list)[N]) { return list; }
template <class T, size_t N> inline T *end(T (&list)[N]) { return list + N; }
template <class C> inline size_t size(const C &c) { return c.size(); }
template <class T, size_t N> inline size_t size(const T (&)[N]) { return N; }
template <class C> inline auto data(C &c) { return c.data(); }
template <class T, size_t N> inline T *data(T (&list)[N]) { return list; }
template <class C> inline bool empty(const C &c) { return c.empty(); }
template <class I> inline ptrdiff_t distance(I first, I last) {
    if constexpr (is_base_of<random_access_iterator_tag, typename iterator_traits<I>::iterator_category>::value) return last - first;
    else {
        ptrdiff_t n = 0;
        for (; first != last; ++first) n++;
        return n;
    }
}
template <class I, class N> inline void advance(I &at, N n) {
    for (; n > 0; --n) ++at;
    for (; n < 0; ++n) --at;
}
template <class T, class N> inline void advance(T *&at, N n) { at += n; }
// Algorithms that the containers' headers also declare.
template <class I, class T> inline void fill(I first, I last, const T &value) { for (; first != last; ++first) *first = value; }
template <class I, class N, class T> inline I fill_n(I first, N n, const T &value) { for (; n > 0; --n, ++first) *first = value; return first; }
template <class I, class O> inline O copy(I first, I last, O to) { for (; first != last; ++first, ++to) *to = *first; return to; }
template <class I, class O> inline O copy_backward(I first, I last, O to) { while (first != last) *--to = *--last; return to; }
template <class I, class J> inline bool equal(I first, I last, J other) { for (; first != last; ++first, ++other) if (!(*first == *other)) return false; return true; }
template <class I, class J, class F> inline bool equal(I first, I last, J other, F same) { for (; first != last; ++first, ++other) if (!same(*first, *other)) return false; return true; }
template <class I, class J> inline pair<I, J> mismatch(I first, I last, J other) { while (first != last && *first == *other) { ++first; ++other; } return pair<I, J>(first, other); }
template <class I, class J> inline void iter_swap(I a, J b) { auto held = std::move(*a); *a = std::move(*b); *b = std::move(held); }
template <class I, class J> inline J swap_ranges(I first, I last, J other) { for (; first != last; ++first, ++other) iter_swap(first, other); return other; }
template <class I> inline I next(I at, ptrdiff_t n = 1) { advance(at, n); return at; }
template <class I> inline I prev(I at, ptrdiff_t n = 1) { advance(at, -n); return at; }
template <class T> struct allocator { typedef T value_type; };
template <class T> struct hash { size_t operator()(const T &v) const { return (size_t)v; } };
inline size_t __lw_hash_bytes(const char *at, size_t n) {
    const size_t m = 0xc6a4a7935bd1e995ul;
    size_t h = 0xc70f6907ul ^ n * m;
    for (; n >= 8; n -= 8, at += 8) {
        size_t k;
        memcpy(&k, at, 8);
        k *= m; k ^= k >> 47; k *= m;
        h ^= k; h *= m;
    }
    if (n) {
        size_t k = 0;
        for (size_t i = n; i-- > 0;) k = k << 8 | (unsigned char)at[i];
        h ^= k; h *= m;
    }
    h ^= h >> 47; h *= m; h ^= h >> 47;
    return h;
}
template <> struct hash<double> { size_t operator()(double v) const { return v == 0 ? 0 : __lw_hash_bytes((const char *)&v, 8); } };
template <> struct hash<float> { size_t operator()(float v) const { return v == 0 ? 0 : __lw_hash_bytes((const char *)&v, 4); } };
template <class T, class A = allocator<T>> struct vector {
    typedef T value_type;
    typedef T &reference;
    typedef const T &const_reference;
    typedef T *pointer;
    typedef T *iterator;
    typedef const T *const_iterator;
    typedef std::reverse_iterator<T *> reverse_iterator;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    typedef A allocator_type;
    T *first;
    size_t count, room;
    vector() : first(nullptr), count(0), room(0) {}
    explicit vector(size_t n) : first(nullptr), count(0), room(0) { resize(n); }
    vector(size_t n, const T &value) : first(nullptr), count(0), room(0) { assign(n, value); }
    template <class I, enable_if_t<!is_arithmetic_v<I>, int> = 0> vector(I from, I to) : first(nullptr), count(0), room(0) {
        assign(from, to);
    }
    vector(initializer_list<T> list) : first(nullptr), count(0), room(0) { assign(list.begin(), list.end()); }
    vector(const vector &other) : first(nullptr), count(0), room(0) { assign(other.first, other.first + other.count); }
    vector(vector &&other) : first(other.first), count(other.count), room(other.room) {
        other.first = nullptr;
        other.count = other.room = 0;
    }
    ~vector() { clear(); free((void *)first); }
    vector &operator=(const vector &other) {
        if (this != &other) assign(other.first, other.first + other.count);
        return *this;
    }
    vector &operator=(vector &&other) {
        if (this == &other) return *this;
        clear();
        swap(other);
        return *this;
    }
    vector &operator=(initializer_list<T> list) { assign(list.begin(), list.end()); return *this; }
    void swap(vector &other) {
        T *f = first; first = other.first; other.first = f;
        size_t n = count; count = other.count; other.count = n;
        n = room; room = other.room; other.room = n;
    }
    void assign(size_t n, const T &value) {
        T copy(value);
        clear();
        reserve(n);
        while (count < n) new (first + count++) T(copy);
    }
    template <class I, enable_if_t<!is_arithmetic_v<I>, int> = 0> void assign(I from, I to) {
        clear();
        for (; from != to; ++from) emplace_back(*from);
    }
    void assign(const T *from, const T *to) {
        clear();
        reserve(to - from);
        if constexpr (is_arithmetic_v<T> || is_pointer_v<T>) {
            if (to != from) memcpy((void *)first, from, (to - from) * sizeof(T));
            count = to - from;
        } else {
            for (; from != to; ++from) new (first + count++) T(*from);
        }
    }
    void assign(initializer_list<T> list) { assign(list.begin(), list.end()); }
    void reserve(size_t n) {
        if (n <= room) return;
        T *next = (T *)malloc(n * sizeof(T));
        if (!next) throw bad_alloc();
        __lw_move_to(next, n);
    }
    void __lw_move_to(T *next, size_t n) {
        if constexpr (is_arithmetic_v<T> || is_pointer_v<T>) {
            if (count) memcpy((void *)next, first, count * sizeof(T));
        } else {
            for (size_t i = 0; i < count; i++) {
                new (next + i) T(static_cast<T &&>(first[i]));
                first[i].~T();
            }
        }
        free((void *)first);
        first = next;
        room = n;
    }
    void __lw_grow(size_t more) {
        size_t n = count + (count > more ? count : more);
        if (count + more > room) reserve(n);
    }
    void resize(size_t n) {
        if (n > count) __lw_grow(n - count);
        if constexpr (is_arithmetic_v<T> || is_pointer_v<T>) {
            if (n > count) memset((void *)(first + count), 0, (n - count) * sizeof(T));
            count = n;
        } else {
            for (; count < n; count++) new (first + count) T();
            for (; count > n; count--) first[count - 1].~T();
        }
    }
    void resize(size_t n, const T &value) {
        if (n > count) {
            T copy(value);
            __lw_grow(n - count);
            while (count < n) new (first + count++) T(copy);
        }
        for (; count > n; count--) first[count - 1].~T();
    }
    void shrink_to_fit() {
        vector other;
        other.reserve(count);
        for (size_t i = 0; i < count; i++) other.emplace_back(static_cast<T &&>(first[i]));
        swap(other);
    }
    void push_back(const T &value) { emplace_back(value); }
    void push_back(T &&value) { emplace_back(static_cast<T &&>(value)); }
    template <class... B> T &emplace_back(B &&...b) {
        if (count < room) {
            new (first + count) T(static_cast<B &&>(b)...);
            return first[count++];
        }
        size_t n = count ? 2 * count : 1;
        T *next = (T *)malloc(n * sizeof(T));
        if (!next) throw bad_alloc();
        // The arguments may be in the old memory.
        new (next + count) T(static_cast<B &&>(b)...);
        __lw_move_to(next, n);
        return first[count++];
    }
    // Opens a gap of `n` destroyed elements.
    T *__lw_gap(const T *place, size_t n) {
        size_t at = place - first;
        __lw_grow(n);
        for (size_t i = count; i > at; i--) {
            new (first + i - 1 + n) T(static_cast<T &&>(first[i - 1]));
            first[i - 1].~T();
        }
        count += n;
        return first + at;
    }
    T *insert(const T *place, const T &value) {
        T copy(value);
        T *at = __lw_gap(place, 1);
        new (at) T(static_cast<T &&>(copy));
        return at;
    }
    T *insert(const T *place, T &&value) { return emplace(place, static_cast<T &&>(value)); }
    T *insert(const T *place, size_t n, const T &value) {
        T copy(value);
        T *at = __lw_gap(place, n);
        for (size_t i = 0; i < n; i++) new (at + i) T(copy);
        return at;
    }
    template <class I, enable_if_t<!is_arithmetic_v<I>, int> = 0> T *insert(const T *place, I from, I to) {
        size_t at = place - first;
        vector more(from, to);
        T *gap = __lw_gap(place, more.count);
        for (size_t i = 0; i < more.count; i++) new (gap + i) T(static_cast<T &&>(more.first[i]));
        return first + at;
    }
    T *insert(const T *place, initializer_list<T> list) { return insert(place, list.begin(), list.end()); }
    template <class... B> T *emplace(const T *place, B &&...b) {
        T made(static_cast<B &&>(b)...);
        T *at = __lw_gap(place, 1);
        new (at) T(static_cast<T &&>(made));
        return at;
    }
    T *erase(const T *from, const T *to) {
        size_t at = from - first, n = to - from;
        for (size_t i = at; i + n < count; i++) first[i] = static_cast<T &&>(first[i + n]);
        for (; n > 0; n--) first[--count].~T();
        return first + at;
    }
    T *erase(const T *place) { return erase(place, place + 1); }
    void pop_back() { first[--count].~T(); }
    // Of a vector of `bool`.
    void flip() { for (size_t i = 0; i < count; i++) first[i] = !first[i]; }
    void clear() {
        if constexpr (is_arithmetic_v<T> || is_pointer_v<T>) count = 0;
        else {
            size_t n = count;
            count = 0;
            for (size_t i = 0; i < n; i++) first[i].~T();
        }
    }
    size_t size() const { return count; }
    size_t max_size() const { return ~0ul / 2 / sizeof(T); }
    size_t capacity() const { return room; }
    bool empty() const { return count == 0; }
    T *data() { return first; }
    const T *data() const { return first; }
    T &operator[](size_t i) { return first[i]; }
    const T &operator[](size_t i) const { return first[i]; }
    void __lw_check(size_t i) const {
        if (i < count) return;
        char text[120];
        snprintf(text, 120, "vector::_M_range_check: __n (which is %zu) >= this->size() (which is %zu)", i, count);
        throw out_of_range(text);
    }
    T &at(size_t i) { __lw_check(i); return first[i]; }
    const T &at(size_t i) const { __lw_check(i); return first[i]; }
    T &front() { return first[0]; }
    const T &front() const { return first[0]; }
    T &back() { return first[count - 1]; }
    const T &back() const { return first[count - 1]; }
    T *begin() { return first; }
    T *end() { return first + count; }
    const T *begin() const { return first; }
    const T *end() const { return first + count; }
    const T *cbegin() const { return first; }
    const T *cend() const { return first + count; }
    std::reverse_iterator<T *> rbegin() { return std::reverse_iterator<T *>(first + count); }
    std::reverse_iterator<T *> rend() { return std::reverse_iterator<T *>(first); }
    std::reverse_iterator<const T *> rbegin() const { return std::reverse_iterator<const T *>(first + count); }
    std::reverse_iterator<const T *> rend() const { return std::reverse_iterator<const T *>(first); }
};
template <class I, enable_if_t<!is_arithmetic_v<I>, int> = 0> vector(I, I) -> vector<typename iterator_traits<I>::value_type>;
template <class T> inline bool operator==(const vector<T> &a, const vector<T> &b) {
    if (a.count != b.count) return false;
    for (size_t i = 0; i < a.count; i++)
        if (!(a.first[i] == b.first[i])) return false;
    return true;
}
template <class T> inline bool operator!=(const vector<T> &a, const vector<T> &b) { return !(a == b); }
template <class T> inline bool operator<(const vector<T> &a, const vector<T> &b) {
    for (size_t i = 0; i < a.count && i < b.count; i++) {
        if (a.first[i] < b.first[i]) return true;
        if (b.first[i] < a.first[i]) return false;
    }
    return a.count < b.count;
}
template <class T> inline bool operator>(const vector<T> &a, const vector<T> &b) { return b < a; }
template <class T> inline bool operator<=(const vector<T> &a, const vector<T> &b) { return !(b < a); }
template <class T> inline bool operator>=(const vector<T> &a, const vector<T> &b) { return !(a < b); }
template <class T> inline void swap(vector<T> &a, vector<T> &b) { a.swap(b); }
} // namespace std
inline const std::type_info &__lw_type_info(const void *type) { return *(const std::type_info *)type; }
inline const std::type_info &__lw_type_of(const void *object) { return *(const std::type_info *)(*(const __lw_table **)object)->type; }
inline void *__lw_dynamic_reference(const void *object, const void *wanted) {
    void *found = __lw_dynamic_cast(object, wanted);
    if (!found) throw std::bad_cast();
    return found;
}
inline void __lw_terminate(const void *object, const __lw_type *type) {
    const void *known = __lw_part_named(object, type, "std::exception");
    char text[1024];
    if (known) snprintf(text, 1024, "terminate called after throwing an instance of '%s'; what(): %s", type->name, ((const std::exception *)known)->what());
    else snprintf(text, 1024, "terminate called after throwing an instance of '%s'", type->name);
    __lw_fault(text);
}
