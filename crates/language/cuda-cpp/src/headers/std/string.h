// <string> and <string_view>.
#include "lanework/std/base.h"
namespace std {
struct string_view {
    typedef char value_type;
    typedef const char *const_iterator;
    typedef const char *iterator;
    static constexpr size_t npos = ~0ul;
    const char *text;
    size_t count;
    string_view() : text(""), count(0) {}
    string_view(const char *t) : text(t), count(strlen(t)) {}
    string_view(const char *t, size_t n) : text(t), count(n) {}
    size_t size() const { return count; }
    size_t length() const { return count; }
    bool empty() const { return count == 0; }
    const char *data() const { return text; }
    const char *begin() const { return text; }
    const char *end() const { return text + count; }
    char operator[](size_t i) const { return text[i]; }
    char front() const { return text[0]; }
    char back() const { return text[count - 1]; }
    void remove_prefix(size_t n) { text += n; count -= n; }
    void remove_suffix(size_t n) { count -= n; }
    string_view substr(size_t at, size_t n = npos) const { return string_view(text + at, n < count - at ? n : count - at); }
    int compare(string_view o) const {
        int order = memcmp(text, o.text, count < o.count ? count : o.count);
        if (order) return order;
        // GCC's library returns the difference of the lengths.
        long longer = (long)(count - o.count);
        return longer > INT_MAX ? INT_MAX : longer < INT_MIN ? INT_MIN : (int)longer;
    }
    size_t find(string_view o, size_t at = 0) const {
        for (; at + o.count <= count; at++) if (memcmp(text + at, o.text, o.count) == 0) return at;
        return npos;
    }
    size_t find(char c, size_t at = 0) const { for (; at < count; at++) if (text[at] == c) return at; return npos; }
    size_t rfind(string_view o, size_t at = npos) const {
        if (o.count > count) return npos;
        for (size_t i = at < count - o.count ? at : count - o.count;; i--) {
            if (memcmp(text + i, o.text, o.count) == 0) return i;
            if (i == 0) return npos;
        }
    }
    size_t rfind(char c, size_t at = npos) const { for (size_t i = at < count ? at + 1 : count; i-- > 0;) if (text[i] == c) return i; return npos; }
    bool __lw_has(char c) const { for (size_t i = 0; i < count; i++) if (text[i] == c) return true; return false; }
    size_t find_first_of(string_view set, size_t at = 0) const { for (; at < count; at++) if (set.__lw_has(text[at])) return at; return npos; }
    size_t find_first_not_of(string_view set, size_t at = 0) const { for (; at < count; at++) if (!set.__lw_has(text[at])) return at; return npos; }
    size_t find_last_of(string_view set, size_t at = npos) const { for (size_t i = at < count ? at + 1 : count; i-- > 0;) if (set.__lw_has(text[i])) return i; return npos; }
    size_t find_last_not_of(string_view set, size_t at = npos) const { for (size_t i = at < count ? at + 1 : count; i-- > 0;) if (!set.__lw_has(text[i])) return i; return npos; }
    bool starts_with(string_view o) const { return count >= o.count && memcmp(text, o.text, o.count) == 0; }
    bool ends_with(string_view o) const { return count >= o.count && memcmp(text + count - o.count, o.text, o.count) == 0; }
};
struct string {
    typedef char value_type;
    typedef size_t size_type;
    typedef char *iterator;
    typedef const char *const_iterator;
    typedef std::reverse_iterator<char *> reverse_iterator;
    static constexpr size_t npos = ~0ul;
    char *text;
    size_t count, room;
    // Short strings stay in the object.
    char inner[16];
    string() : text(inner), count(0), room(15) { inner[0] = 0; }
    string(const char *t) : text(inner), count(0), room(15) { __lw_put(t, strlen(t)); }
    string(const char *t, size_t n) : text(inner), count(0), room(15) { __lw_put(t, n); }
    string(size_t n, char c) : text(inner), count(0), room(15) { inner[0] = 0; resize(n, c); }
    template <class I, enable_if_t<!is_arithmetic_v<I>, int> = 0> string(I from, I to) : text(inner), count(0), room(15) {
        inner[0] = 0;
        for (; from != to; ++from) push_back(*from);
    }
    string(initializer_list<char> list) : text(inner), count(0), room(15) { __lw_put(list.begin(), list.size()); }
    explicit string(string_view v) : text(inner), count(0), room(15) { __lw_put(v.text, v.count); }
    string(const string &o) : text(inner), count(0), room(15) { __lw_put(o.text, o.count); }
    string(const string &o, size_t at, size_t n = npos) : text(inner), count(0), room(15) { __lw_put(o.text + at, n < o.count - at ? n : o.count - at); }
    string(string &&o) : text(inner), count(0), room(15) { inner[0] = 0; swap(o); }
    ~string() { if (text != inner) free(text); }
    string &operator=(const string &o) { if (this != &o) __lw_put(o.text, o.count); return *this; }
    string &operator=(string &&o) { if (this != &o) { clear(); swap(o); } return *this; }
    string &operator=(const char *t) { __lw_put(t, strlen(t)); return *this; }
    string &operator=(char c) { __lw_put(&c, 1); return *this; }
    string &operator=(string_view v) { __lw_put(v.text, v.count); return *this; }
    operator string_view() const { return string_view(text, count); }
    void __lw_put(const char *from, size_t n) {
        if (n > room) {
            char *next = (char *)malloc(n + 1);
            memcpy(next, from, n);
            if (text != inner) free(text);
            text = next;
            room = n;
        } else if (n) memmove(text, from, n);
        count = n;
        text[n] = 0;
    }
    void swap(string &o) {
        char *t = text == inner ? nullptr : text, *u = o.text == o.inner ? nullptr : o.text;
        char held[16];
        memcpy(held, inner, 16);
        memcpy(inner, o.inner, 16);
        memcpy(o.inner, held, 16);
        text = u ? u : inner;
        o.text = t ? t : o.inner;
        size_t n = count; count = o.count; o.count = n;
        n = room; room = o.room; o.room = n;
    }
    void reserve(size_t n = 0) {
        if (n <= room) return;
        if (n < 2 * room) n = 2 * room;
        char *next = (char *)malloc(n + 1);
        memcpy(next, text, count + 1);
        if (text != inner) free(text);
        text = next;
        room = n;
    }
    void resize(size_t n, char c = 0) {
        reserve(n);
        if (n > count) memset(text + count, c, n - count);
        count = n;
        text[n] = 0;
    }
    void shrink_to_fit() {}
    size_t size() const { return count; }
    size_t length() const { return count; }
    size_t capacity() const { return room; }
    bool empty() const { return count == 0; }
    void clear() { count = 0; text[0] = 0; }
    const char *c_str() const { return text; }
    const char *data() const { return text; }
    char *data() { return text; }
    char &operator[](size_t i) { return text[i]; }
    const char &operator[](size_t i) const { return text[i]; }
    void __lw_check(size_t i) const {
        if (i < count) return;
        char message[120];
        snprintf(message, 120, "basic_string::at: __n (which is %zu) >= this->size() (which is %zu)", i, count);
        throw out_of_range(message);
    }
    char &at(size_t i) { __lw_check(i); return text[i]; }
    const char &at(size_t i) const { __lw_check(i); return text[i]; }
    char &front() { return text[0]; }
    char &back() { return text[count - 1]; }
    const char &front() const { return text[0]; }
    const char &back() const { return text[count - 1]; }
    char *begin() { return text; }
    char *end() { return text + count; }
    const char *begin() const { return text; }
    const char *end() const { return text + count; }
    const char *cbegin() const { return text; }
    const char *cend() const { return text + count; }
    std::reverse_iterator<char *> rbegin() { return std::reverse_iterator<char *>(text + count); }
    std::reverse_iterator<char *> rend() { return std::reverse_iterator<char *>(text); }
    std::reverse_iterator<const char *> rbegin() const { return std::reverse_iterator<const char *>(text + count); }
    std::reverse_iterator<const char *> rend() const { return std::reverse_iterator<const char *>(text); }
    void push_back(char c) { if (count == room) reserve(count + 1); text[count++] = c; text[count] = 0; }
    void pop_back() { text[--count] = 0; }
    string &append(const char *t, size_t n) {
        if (t >= text && t <= text + count) { string copy(t, n); return append(copy.text, n); }
        reserve(count + n);
        if (n) memcpy(text + count, t, n);
        count += n;
        text[count] = 0;
        return *this;
    }
    string &append(const char *t) { return append(t, strlen(t)); }
    string &append(const string &o) { return append(o.text, o.count); }
    string &append(const string &o, size_t at, size_t n = npos) { return append(o.text + at, n < o.count - at ? n : o.count - at); }
    string &append(size_t n, char c) { resize(count + n, c); return *this; }
    string &append(string_view v) { return append(v.text, v.count); }
    string &operator+=(const string &o) { return append(o.text, o.count); }
    string &operator+=(const char *t) { return append(t, strlen(t)); }
    string &operator+=(char c) { push_back(c); return *this; }
    string &operator+=(string_view v) { return append(v.text, v.count); }
    string &assign(const char *t) { __lw_put(t, strlen(t)); return *this; }
    string &assign(const char *t, size_t n) { __lw_put(t, n); return *this; }
    string &assign(const string &o) { return *this = o; }
    string &assign(size_t n, char c) { clear(); resize(n, c); return *this; }
    string &replace(size_t at, size_t n, string_view v) {
        if (n > count - at) n = count - at;
        string made(text, at);
        made.append(v.text, v.count);
        made.append(text + at + n, count - at - n);
        swap(made);
        return *this;
    }
    string &replace(size_t at, size_t n, size_t times, char c) { string more(times, c); return replace(at, n, more); }
    string &replace(size_t at, size_t n, const char *v, size_t length) { return replace(at, n, string_view(v, length)); }
    string &replace(const char *from, const char *to, string_view v) { return replace(from - text, to - from, v); }
    size_t copy(char *to, size_t n, size_t at = 0) const {
        if (n > count - at) n = count - at;
        memcpy(to, text + at, n);
        return n;
    }
    string &insert(size_t at, string_view v) { return replace(at, 0, v); }
    string &insert(size_t at, size_t n, char c) { string more(n, c); return replace(at, 0, more); }
    char *insert(const char *place, char c) { size_t at = place - text; replace(at, 0, string_view(&c, 1)); return text + at; }
    char *insert(const char *place, size_t n, char c) { size_t at = place - text; insert(at, n, c); return text + at; }
    string &erase(size_t at = 0, size_t n = npos) { return replace(at, n, string_view()); }
    char *erase(const char *place) { size_t at = place - text; replace(at, 1, string_view()); return text + at; }
    char *erase(const char *from, const char *to) { size_t at = from - text; replace(at, to - from, string_view()); return text + at; }
    string substr(size_t at = 0, size_t n = npos) const {
        if (at > count) {
            char message[120];
            snprintf(message, 120, "basic_string::substr: __pos (which is %zu) > this->size() (which is %zu)", at, count);
            throw out_of_range(message);
        }
        return string(text + at, n < count - at ? n : count - at);
    }
    string_view __lw_view() const { return string_view(text, count); }
    int compare(string_view o) const { return __lw_view().compare(o); }
    int compare(size_t at, size_t n, string_view o) const { return __lw_view().substr(at, n).compare(o); }
    size_t find(string_view o, size_t at = 0) const { return __lw_view().find(o, at); }
    size_t find(char c, size_t at = 0) const { return __lw_view().find(c, at); }
    size_t rfind(string_view o, size_t at = npos) const { return __lw_view().rfind(o, at); }
    size_t rfind(char c, size_t at = npos) const { return __lw_view().rfind(c, at); }
    size_t find_first_of(string_view o, size_t at = 0) const { return __lw_view().find_first_of(o, at); }
    size_t find_first_of(char c, size_t at = 0) const { return find(c, at); }
    size_t find_first_not_of(string_view o, size_t at = 0) const { return __lw_view().find_first_not_of(o, at); }
    size_t find_last_of(string_view o, size_t at = npos) const { return __lw_view().find_last_of(o, at); }
    size_t find_last_of(char c, size_t at = npos) const { return rfind(c, at); }
    size_t find_last_not_of(string_view o, size_t at = npos) const { return __lw_view().find_last_not_of(o, at); }
    bool starts_with(string_view o) const { return __lw_view().starts_with(o); }
    bool ends_with(string_view o) const { return __lw_view().ends_with(o); }
};
template <class C> using basic_string = string;
#define __LW_COMPARE(OP)                                                                                              \
    inline bool operator OP(const string &a, const string &b) { return a.__lw_view().compare(b.__lw_view()) OP 0; }   \
    inline bool operator OP(const string &a, const char *b) { return a.__lw_view().compare(b) OP 0; }                 \
    inline bool operator OP(const char *a, const string &b) { return string_view(a).compare(b.__lw_view()) OP 0; }    \
    inline bool operator OP(string_view a, string_view b) { return a.compare(b) OP 0; }
__LW_COMPARE(==) __LW_COMPARE(!=) __LW_COMPARE(<) __LW_COMPARE(>) __LW_COMPARE(<=) __LW_COMPARE(>=)
#undef __LW_COMPARE
template <> struct hash<string> { size_t operator()(const string &s) const { return __lw_hash_bytes(s.text, s.count); } };
template <> struct hash<string_view> { size_t operator()(string_view s) const { return __lw_hash_bytes(s.text, s.count); } };
inline string operator+(const string &a, const string &b) { string sum(a); sum.append(b.text, b.count); return sum; }
inline string operator+(const string &a, const char *b) { string sum(a); sum.append(b); return sum; }
inline string operator+(const char *a, const string &b) { string sum(a); sum.append(b.text, b.count); return sum; }
inline string operator+(const string &a, char b) { string sum(a); sum.push_back(b); return sum; }
inline string operator+(char a, const string &b) { string sum(1, a); sum.append(b.text, b.count); return sum; }
inline void swap(string &a, string &b) { a.swap(b); }
inline string __lw_text(const char *format, ...) {
    char text[400];
    vsnprintf(text, 400, format, __lw_va_list());
    return string(text);
}
inline string to_string(long double v) { return __lw_text("%f", (double)v); }
inline string to_string(int v) { return __lw_text("%d", v); }
inline string to_string(unsigned v) { return __lw_text("%u", v); }
inline string to_string(long v) { return __lw_text("%ld", v); }
inline string to_string(unsigned long v) { return __lw_text("%lu", v); }
inline string to_string(long long v) { return __lw_text("%lld", v); }
inline string to_string(unsigned long long v) { return __lw_text("%llu", v); }
inline string to_string(float v) { return __lw_text("%f", (double)v); }
inline string to_string(double v) { return __lw_text("%f", v); }
inline void __lw_parsed(const char *name, const char *from, const char *end, size_t *used) {
    if (from == end) throw invalid_argument(name);
    if (used) *used = end - from;
}
inline long stol(const string &s, size_t *used = nullptr, int base = 10) { char *end; long v = strtol(s.c_str(), &end, base); __lw_parsed("stol", s.c_str(), end, used); return v; }
inline long long stoll(const string &s, size_t *used = nullptr, int base = 10) { char *end; long long v = strtoll(s.c_str(), &end, base); __lw_parsed("stoll", s.c_str(), end, used); return v; }
inline unsigned long stoul(const string &s, size_t *used = nullptr, int base = 10) { char *end; unsigned long v = strtoul(s.c_str(), &end, base); __lw_parsed("stoul", s.c_str(), end, used); return v; }
inline unsigned long long stoull(const string &s, size_t *used = nullptr, int base = 10) { char *end; unsigned long long v = strtoull(s.c_str(), &end, base); __lw_parsed("stoull", s.c_str(), end, used); return v; }
inline int stoi(const string &s, size_t *used = nullptr, int base = 10) {
    char *end;
    long v = strtol(s.c_str(), &end, base);
    __lw_parsed("stoi", s.c_str(), end, used);
    if (v != (int)v) throw out_of_range("stoi");
    return (int)v;
}
inline double stod(const string &s, size_t *used = nullptr) { char *end; double v = strtod(s.c_str(), &end); __lw_parsed("stod", s.c_str(), end, used); return v; }
inline float stof(const string &s, size_t *used = nullptr) { char *end; float v = strtof(s.c_str(), &end); __lw_parsed("stof", s.c_str(), end, used); return v; }
inline namespace literals { inline namespace string_literals {
inline string operator""s(const char *p, size_t n) { return string(p, n); }
}
inline namespace string_view_literals {
inline string_view operator""sv(const char *p, size_t n) { return string_view(p, n); }
} }
} // namespace std
