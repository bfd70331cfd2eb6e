// <deque>, <list>, <queue> and <stack>.
#include "lanework/std/algorithm.h"
namespace std {
// A vector that also grows at its front.
template <class T, class A = allocator<T>> struct deque : vector<T> {
    using vector<T>::vector;
    deque() {}
    void push_front(const T &value) { this->insert(this->begin(), value); }
    void push_front(T &&value) { this->emplace(this->begin(), static_cast<T &&>(value)); }
    template <class... B> void emplace_front(B &&...b) { this->emplace(this->begin(), static_cast<B &&>(b)...); }
    void pop_front() { this->erase(this->begin()); }
};
template <class T> struct __lw_item {
    __lw_item *next, *before;
    T value;
    template <class... A> explicit __lw_item(A &&...a) : next(nullptr), before(nullptr), value(static_cast<A &&>(a)...) {}
};
template <class T> struct list {
    typedef T value_type;
    typedef size_t size_type;
    typedef __lw_item<T> item;
    template <class R> struct place {
        typedef T value_type;
        typedef R &reference;
        typedef R *pointer;
        typedef ptrdiff_t difference_type;
        typedef bidirectional_iterator_tag iterator_category;
        item *at;
        const list *of;
        place() : at(nullptr), of(nullptr) {}
        place(item *i, const list *l) : at(i), of(l) {}
        template <class Q> place(const place<Q> &o) : at(o.at), of(o.of) {}
        R &operator*() const { return at->value; }
        R *operator->() const { return &at->value; }
        place &operator++() { at = at->next; return *this; }
        place &operator--() { at = at ? at->before : of->last; return *this; }
        place operator++(int) { place old = *this; at = at->next; return old; }
        place operator--(int) { place old = *this; --*this; return old; }
        bool operator==(const place &o) const { return at == o.at; }
        bool operator!=(const place &o) const { return at != o.at; }
    };
    typedef place<T> iterator;
    typedef place<const T> const_iterator;
    item *first, *last;
    size_t count;
    list() : first(nullptr), last(nullptr), count(0) {}
    explicit list(size_t n) : first(nullptr), last(nullptr), count(0) { while (n-- > 0) emplace_back(); }
    list(size_t n, const T &v) : first(nullptr), last(nullptr), count(0) { while (n-- > 0) push_back(v); }
    template <class I, enable_if_t<!is_arithmetic_v<I>, int> = 0> list(I from, I to) : first(nullptr), last(nullptr), count(0) { for (; from != to; ++from) push_back(*from); }
    list(initializer_list<T> values) : first(nullptr), last(nullptr), count(0) { for (const T &v : values) push_back(v); }
    list(const list &o) : first(nullptr), last(nullptr), count(0) { for (const T &v : o) push_back(v); }
    list(list &&o) : first(o.first), last(o.last), count(o.count) { o.first = o.last = nullptr; o.count = 0; }
    ~list() { clear(); }
    list &operator=(const list &o) { if (this != &o) { clear(); for (const T &v : o) push_back(v); } return *this; }
    list &operator=(list &&o) { if (this != &o) { clear(); swap(o); } return *this; }
    void swap(list &o) {
        item *i = first; first = o.first; o.first = i;
        i = last; last = o.last; o.last = i;
        size_t n = count; count = o.count; o.count = n;
    }
    item *__lw_put(item *made, item *next) {
        item *before = next ? next->before : last;
        made->next = next;
        made->before = before;
        if (before) before->next = made; else first = made;
        if (next) next->before = made; else last = made;
        count++;
        return made;
    }
    void resize(size_t n, const T &v = T()) {
        while (count < n) push_back(v);
        while (count > n) pop_back();
    }
    void push_back(const T &v) { __lw_put(new item(v), nullptr); }
    void push_back(T &&v) { __lw_put(new item(static_cast<T &&>(v)), nullptr); }
    void push_front(const T &v) { __lw_put(new item(v), first); }
    void push_front(T &&v) { __lw_put(new item(static_cast<T &&>(v)), first); }
    template <class... A> T &emplace_back(A &&...a) { return __lw_put(new item(static_cast<A &&>(a)...), nullptr)->value; }
    template <class... A> T &emplace_front(A &&...a) { return __lw_put(new item(static_cast<A &&>(a)...), first)->value; }
    iterator insert(iterator at, const T &v) { return iterator(__lw_put(new item(v), at.at), this); }
    iterator insert(iterator at, T &&v) { return iterator(__lw_put(new item(static_cast<T &&>(v)), at.at), this); }
    template <class... A> iterator emplace(iterator at, A &&...a) { return iterator(__lw_put(new item(static_cast<A &&>(a)...), at.at), this); }
    template <class I, enable_if_t<!is_arithmetic_v<I>, int> = 0> iterator insert(iterator at, I from, I to) {
        item *before = at.at ? at.at->before : last;
        for (; from != to; ++from) __lw_put(new item(*from), at.at);
        return iterator(before ? before->next : first, this);
    }
    item *__lw_take(item *i) {
        item *next = i->next;
        if (i->before) i->before->next = next; else first = next;
        if (next) next->before = i->before; else last = i->before;
        count--;
        return next;
    }
    iterator erase(iterator at) {
        item *next = __lw_take(at.at);
        delete at.at;
        return iterator(next, this);
    }
    iterator erase(iterator from, iterator to) { while (from != to) from = erase(from); return from; }
    void splice(iterator at, list &o, iterator from, iterator to) {
        for (item *i = from.at; i != to.at;) {
            item *next = o.__lw_take(i);
            __lw_put(i, at.at);
            i = next;
        }
    }
    void splice(iterator at, list &o, iterator one) {
        if (at.at == one.at) return;
        o.__lw_take(one.at);
        __lw_put(one.at, at.at);
    }
    void splice(iterator at, list &o) { splice(at, o, o.begin(), o.end()); }
    template <class F> void merge(list &o, F less) {
        for (iterator at = begin(); o.first;) {
            if (at.at == nullptr || less(o.first->value, *at)) splice(at, o, o.begin());
            else ++at;
        }
    }
    void merge(list &o) { merge(o, [](const T &a, const T &b) { return a < b; }); }
    void unique() { for (iterator at = begin(); at.at && at.at->next;) if (at.at->next->value == *at) erase(iterator(at.at->next, this)); else ++at; }
    template <class F> void remove_if(F f) { for (iterator at = begin(); at != end();) if (f(*at)) at = erase(at); else ++at; }
    void pop_front() { erase(begin()); }
    void pop_back() { erase(iterator(last, this)); }
    void clear() { while (first) { item *next = first->next; delete first; first = next; } last = nullptr; count = 0; }
    void remove(const T &v) { T copy(v); for (iterator at = begin(); at != end();) if (*at == copy) at = erase(at); else ++at; }
    void reverse() { for (item *i = first; i; i = i->before) { item *n = i->next; i->next = i->before; i->before = n; } item *i = first; first = last; last = i; }
    template <class F> void sort(F less) { vector<T> all(begin(), end()); stable_sort(all.begin(), all.end(), less); size_t i = 0; for (T &v : *this) v = all[i++]; }
    void sort() { sort([](const T &a, const T &b) { return a < b; }); }
    T &front() { return first->value; }
    T &back() { return last->value; }
    const T &front() const { return first->value; }
    const T &back() const { return last->value; }
    iterator begin() { return iterator(first, this); }
    iterator end() { return iterator(nullptr, this); }
    const_iterator begin() const { return const_iterator(first, this); }
    const_iterator end() const { return const_iterator(nullptr, this); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    typedef ::std::reverse_iterator<iterator> reverse_iterator;
    typedef ::std::reverse_iterator<const_iterator> const_reverse_iterator;
    reverse_iterator rbegin() { return reverse_iterator(end()); }
    reverse_iterator rend() { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }
    const_reverse_iterator crbegin() const { return rbegin(); }
    const_reverse_iterator crend() const { return rend(); }
    template <class I, enable_if_t<!is_arithmetic_v<I>, int> = 0> void assign(I from, I to) { clear(); for (; from != to; ++from) push_back(*from); }
    void assign(size_t n, const T &v) { T copy(v); clear(); while (n-- > 0) push_back(copy); }
    size_t max_size() const { return (size_t)-1 / sizeof(item); }
    size_t size() const { return count; }
    bool empty() const { return count == 0; }
};
template <class T, class C = deque<T>> struct queue {
    typedef T value_type;
    C c;
    void push(const T &v) { c.push_back(v); }
    void push(T &&v) { c.push_back(static_cast<T &&>(v)); }
    template <class... A> void emplace(A &&...a) { c.emplace_back(static_cast<A &&>(a)...); }
    void pop() { c.erase(c.begin()); }
    T &front() { return c.front(); }
    T &back() { return c.back(); }
    bool empty() const { return c.empty(); }
    size_t size() const { return c.size(); }
};
template <class T, class C = vector<T>> struct stack {
    typedef T value_type;
    C c;
    void push(const T &v) { c.push_back(v); }
    void push(T &&v) { c.push_back(static_cast<T &&>(v)); }
    template <class... A> void emplace(A &&...a) { c.emplace_back(static_cast<A &&>(a)...); }
    void pop() { c.pop_back(); }
    T &top() { return c.back(); }
    bool empty() const { return c.empty(); }
    size_t size() const { return c.size(); }
};
template <class T, class C = vector<T>, class L = less<T>> struct priority_queue {
    typedef T value_type;
    C c;
    L order;
    priority_queue() : c(), order() {}
    explicit priority_queue(const L &l) : c(), order(l) {}
    priority_queue(const L &l, const C &values) : c(values), order(l) { make_heap(c.begin(), c.end(), order); }
    template <class I, enable_if_t<!is_same_v<I, L>, int> = 0> priority_queue(I from, I to, const L &l = L()) : c(from, to), order(l) { make_heap(c.begin(), c.end(), order); }
    void push(const T &v) { c.push_back(v); push_heap(c.begin(), c.end(), order); }
    void push(T &&v) { c.push_back(static_cast<T &&>(v)); push_heap(c.begin(), c.end(), order); }
    template <class... A> void emplace(A &&...a) { c.emplace_back(static_cast<A &&>(a)...); push_heap(c.begin(), c.end(), order); }
    void pop() { pop_heap(c.begin(), c.end(), order); c.pop_back(); }
    const T &top() const { return c.front(); }
    bool empty() const { return c.empty(); }
    size_t size() const { return c.size(); }
};
} // namespace std
