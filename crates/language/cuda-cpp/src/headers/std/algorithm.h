// <algorithm> and <numeric>.
#include "lanework/std/base.h"
namespace std {
template <class I, class T> inline void iota(I first, I last, T value) { for (; first != last; ++first, ++value) *first = value; }
template <class I, class T> inline T accumulate(I first, I last, T sum) { for (; first != last; ++first) sum = sum + *first; return sum; }
template <class I, class T, class F> inline T accumulate(I first, I last, T sum, F f) { for (; first != last; ++first) sum = f(sum, *first); return sum; }
template <class I, class T> inline T reduce(I first, I last, T sum) { return accumulate(first, last, sum); }
template <class I, class T, class F> inline T reduce(I first, I last, T sum, F f) { return accumulate(first, last, sum, f); }
template <class I> inline auto reduce(I first, I last) { typename iterator_traits<I>::value_type sum{}; return accumulate(first, last, sum); }
template <class I, class J, class T> inline T inner_product(I first, I last, J other, T sum) { for (; first != last; ++first, ++other) sum = sum + *first * *other; return sum; }
template <class I, class J, class T, class F, class G> inline T inner_product(I first, I last, J other, T sum, F f, G g) { for (; first != last; ++first, ++other) sum = f(sum, g(*first, *other)); return sum; }
template <class I, class T, class F, class G> inline T transform_reduce(I first, I last, T sum, F f, G g) { for (; first != last; ++first) sum = f(sum, g(*first)); return sum; }
template <class I, class J, class T> inline T transform_reduce(I first, I last, J other, T sum) { return inner_product(first, last, other, sum); }
template <class I, class O> inline O partial_sum(I first, I last, O to) {
    if (first == last) return to;
    typename iterator_traits<I>::value_type sum = *first;
    *to = sum;
    while (++first != last) { sum = sum + *first; *++to = sum; }
    return ++to;
}
template <class I, class O> inline O inclusive_scan(I first, I last, O to) { return partial_sum(first, last, to); }
template <class I, class O, class T> inline O exclusive_scan(I first, I last, O to, T sum) {
    for (; first != last; ++first, ++to) { T next = sum + *first; *to = sum; sum = next; }
    return to;
}
template <class I, class O> inline O adjacent_difference(I first, I last, O to) {
    if (first == last) return to;
    auto before = *first;
    *to = before;
    while (++first != last) { auto now = *first; *++to = now - before; before = now; }
    return ++to;
}
template <class T> inline T gcd(T a, T b) { while (b) { T r = a % b; a = b; b = r; } return a < 0 ? -a : a; }
template <class T> inline T lcm(T a, T b) { return a == 0 || b == 0 ? 0 : a / gcd(a, b) * b; }
template <class I, class O> inline O move(I first, I last, O to) { for (; first != last; ++first, ++to) *to = std::move(*first); return to; }
template <class I, class N, class O> inline O copy_n(I first, N n, O to) { for (; n > 0; --n, ++first, ++to) *to = *first; return to; }
template <class I, class O, class F> inline O copy_if(I first, I last, O to, F f) { for (; first != last; ++first) if (f(*first)) { *to = *first; ++to; } return to; }
template <class I, class G> inline void generate(I first, I last, G make) { for (; first != last; ++first) *first = make(); }
template <class I, class N, class G> inline I generate_n(I first, N n, G make) { for (; n > 0; --n, ++first) *first = make(); return first; }
template <class I, class O, class F> inline O transform(I first, I last, O to, F f) { for (; first != last; ++first, ++to) *to = f(*first); return to; }
template <class I, class J, class O, class F> inline O transform(I first, I last, J other, O to, F f) { for (; first != last; ++first, ++other, ++to) *to = f(*first, *other); return to; }
template <class I, class F> inline F for_each(I first, I last, F f) { for (; first != last; ++first) f(*first); return f; }
template <class I> inline I max_element(I first, I last) { I best = first; for (; first != last; ++first) if (*best < *first) best = first; return best; }
template <class I, class F> inline I max_element(I first, I last, F less) { I best = first; for (; first != last; ++first) if (less(*best, *first)) best = first; return best; }
template <class I> inline I min_element(I first, I last) { I best = first; for (; first != last; ++first) if (*first < *best) best = first; return best; }
template <class I, class F> inline I min_element(I first, I last, F less) { I best = first; for (; first != last; ++first) if (less(*first, *best)) best = first; return best; }
template <class I> inline pair<I, I> minmax_element(I first, I last) {
    pair<I, I> best(first, first);
    for (; first != last; ++first) { if (*first < *best.first) best.first = first; if (!(*first < *best.second)) best.second = first; }
    return best;
}
template <class T> inline T min(initializer_list<T> list) { return *min_element(list.begin(), list.end()); }
template <class T> inline T max(initializer_list<T> list) { return *max_element(list.begin(), list.end()); }
template <class T> inline pair<T, T> minmax(initializer_list<T> list) {
    auto found = minmax_element(list.begin(), list.end());
    return pair<T, T>(*found.first, *found.second);
}
template <class T, class F> inline const T &max(const T &a, const T &b, F less) { return less(a, b) ? b : a; }
template <class T, class F> inline const T &min(const T &a, const T &b, F less) { return less(b, a) ? b : a; }
template <class T> inline pair<T, T> minmax(const T &a, const T &b) { return b < a ? pair<T, T>(b, a) : pair<T, T>(a, b); }
template <class I, class J> inline bool lexicographical_compare(I a, I enda, J b, J endb) {
    for (; a != enda && b != endb; ++a, ++b) { if (*a < *b) return true; if (*b < *a) return false; }
    return a == enda && b != endb;
}
template <class I, class T> inline I find(I first, I last, const T &value) { while (first != last && !(*first == value)) ++first; return first; }
template <class I, class F> inline I find_if(I first, I last, F f) { while (first != last && !f(*first)) ++first; return first; }
template <class I, class F> inline I find_if_not(I first, I last, F f) { while (first != last && f(*first)) ++first; return first; }
template <class I, class T> inline ptrdiff_t count(I first, I last, const T &value) { ptrdiff_t n = 0; for (; first != last; ++first) if (*first == value) n++; return n; }
template <class I, class F> inline ptrdiff_t count_if(I first, I last, F f) { ptrdiff_t n = 0; for (; first != last; ++first) if (f(*first)) n++; return n; }
template <class I, class F> inline bool all_of(I first, I last, F f) { for (; first != last; ++first) if (!f(*first)) return false; return true; }
template <class I, class F> inline bool any_of(I first, I last, F f) { for (; first != last; ++first) if (f(*first)) return true; return false; }
template <class I, class F> inline bool none_of(I first, I last, F f) { return !any_of(first, last, f); }
template <class I> inline void reverse(I first, I last) { while (first != last && first != --last) { iter_swap(first, last); ++first; } }
template <class I, class O> inline O reverse_copy(I first, I last, O to) { while (first != last) { *to = *--last; ++to; } return to; }
template <class I> inline I rotate(I first, I middle, I last) {
    I result = next(first, distance(middle, last));
    reverse(first, middle);
    reverse(middle, last);
    reverse(first, last);
    return result;
}
template <class I, class T> inline I remove(I first, I last, const T &value) { I to = first; for (; first != last; ++first) if (!(*first == value)) { *to = std::move(*first); ++to; } return to; }
template <class I, class F> inline I remove_if(I first, I last, F f) { I to = first; for (; first != last; ++first) if (!f(*first)) { *to = std::move(*first); ++to; } return to; }
template <class I, class T> inline void replace(I first, I last, const T &old, const T &value) { for (; first != last; ++first) if (*first == old) *first = value; }
template <class I, class F, class T> inline void replace_if(I first, I last, F f, const T &value) { for (; first != last; ++first) if (f(*first)) *first = value; }
template <class I, class F> inline I unique(I first, I last, F same) {
    if (first == last) return last;
    I to = first;
    while (++first != last) if (!same(*to, *first)) *++to = std::move(*first);
    return ++to;
}
template <class I> inline I unique(I first, I last) { return unique(first, last, [](const auto &a, const auto &b) { return a == b; }); }
template <class I, class F> inline I partition(I first, I last, F f) {
    I to = first;
    for (; first != last; ++first) if (f(*first)) { if (to != first) iter_swap(to, first); ++to; }
    return to;
}
template <class I, class T, class F> inline I lower_bound(I first, I last, const T &value, F less) {
    for (ptrdiff_t n = distance(first, last); n > 0;) {
        ptrdiff_t half = n / 2;
        I middle = next(first, half);
        if (less(*middle, value)) { first = ++middle; n -= half + 1; } else n = half;
    }
    return first;
}
template <class I, class T> inline I lower_bound(I first, I last, const T &value) { return lower_bound(first, last, value, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class T, class F> inline I upper_bound(I first, I last, const T &value, F less) {
    for (ptrdiff_t n = distance(first, last); n > 0;) {
        ptrdiff_t half = n / 2;
        I middle = next(first, half);
        if (!less(value, *middle)) { first = ++middle; n -= half + 1; } else n = half;
    }
    return first;
}
template <class I, class T> inline I upper_bound(I first, I last, const T &value) { return upper_bound(first, last, value, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class T> inline bool binary_search(I first, I last, const T &value) { first = lower_bound(first, last, value); return first != last && !(value < *first); }
template <class I, class T> inline pair<I, I> equal_range(I first, I last, const T &value) { return pair<I, I>(lower_bound(first, last, value), upper_bound(first, last, value)); }
template <class I, class J, class O, class F> inline O merge(I a, I enda, J b, J endb, O to, F less) {
    for (; a != enda && b != endb; ++to) { if (less(*b, *a)) { *to = *b; ++b; } else { *to = *a; ++a; } }
    return copy(b, endb, copy(a, enda, to));
}
template <class I, class J, class O> inline O merge(I a, I enda, J b, J endb, O to) { return merge(a, enda, b, endb, to, [](const auto &x, const auto &y) { return x < y; }); }
// Sorting: quicksort with the median of three as the pivot, then insertion sort, so that equal elements end in GCC's order.
template <class I, class F> inline void __lw_sift(I list, ptrdiff_t at, ptrdiff_t count, F less) {
    for (ptrdiff_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && less(list[child], list[child + 1])) child++;
        if (!less(list[at], list[child])) return;
        iter_swap(list + at, list + child);
    }
}
template <class I, class F> inline void make_heap(I first, I last, F less) { ptrdiff_t n = last - first; for (ptrdiff_t at = n / 2; at-- > 0;) __lw_sift(first, at, n, less); }
template <class I> inline void make_heap(I first, I last) { make_heap(first, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class F> inline void pop_heap(I first, I last, F less) { iter_swap(first, last - 1); __lw_sift(first, 0, last - first - 1, less); }
template <class I> inline void pop_heap(I first, I last) { pop_heap(first, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class F> inline void push_heap(I first, I last, F less) {
    for (ptrdiff_t at = last - first - 1; at > 0;) {
        ptrdiff_t parent = (at - 1) / 2;
        if (!less(first[parent], first[at])) return;
        iter_swap(first + parent, first + at);
        at = parent;
    }
}
template <class I> inline void push_heap(I first, I last) { push_heap(first, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class F> inline void sort_heap(I first, I last, F less) { for (; last - first > 1; --last) pop_heap(first, last, less); }
template <class I> inline void sort_heap(I first, I last) { sort_heap(first, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class F> inline void __lw_sink(I at, F less) {
    auto held = std::move(*at);
    for (I before = at - 1; less(held, *before); --before) { *at = std::move(*before); at = before; }
    *at = std::move(held);
}
template <class I, class F> inline void __lw_insertion_sort(I first, I last, F less) {
    if (first == last) return;
    for (I at = first + 1; at != last; ++at) {
        if (less(*at, *first)) {
            auto held = std::move(*at);
            for (I to = at; to != first; --to) *to = std::move(*(to - 1));
            *first = std::move(held);
        } else __lw_sink(at, less);
    }
}
template <class I, class F> inline void __lw_median_to_first(I to, I a, I b, I c, F less) {
    if (less(*a, *b)) {
        if (less(*b, *c)) iter_swap(to, b);
        else if (less(*a, *c)) iter_swap(to, c);
        else iter_swap(to, a);
    } else if (less(*a, *c)) iter_swap(to, a);
    else if (less(*b, *c)) iter_swap(to, c);
    else iter_swap(to, b);
}
template <class I, class F> inline I __lw_split(I first, I last, F less) {
    __lw_median_to_first(first, first + 1, first + (last - first) / 2, last - 1, less);
    I low = first + 1;
    for (;;) {
        while (less(*low, *first)) ++low;
        --last;
        while (less(*first, *last)) --last;
        if (!(low < last)) return low;
        iter_swap(low, last);
        ++low;
    }
}
template <class I, class F> inline void __lw_quicksort(I first, I last, int depth, F less) {
    while (last - first > 16) {
        if (depth-- == 0) {
            make_heap(first, last, less);
            sort_heap(first, last, less);
            return;
        }
        I cut = __lw_split(first, last, less);
        __lw_quicksort(cut, last, depth, less);
        last = cut;
    }
}
template <class I, class F> inline void sort(I first, I last, F less) {
    ptrdiff_t n = last - first;
    if (n < 2) return;
    int depth = 0;
    for (ptrdiff_t half = n; half > 1; half /= 2) depth += 2;
    __lw_quicksort(first, last, depth, less);
    if (n > 16) {
        __lw_insertion_sort(first, first + 16, less);
        for (I at = first + 16; at != last; ++at) __lw_sink(at, less);
    } else __lw_insertion_sort(first, last, less);
}
template <class I> inline void sort(I first, I last) {
    typedef typename iterator_traits<I>::value_type T;
    if constexpr (is_pointer_v<I> && is_arithmetic_v<T>) {
        __lw_sort_in_place((void *)first, last - first, sizeof(T), is_floating_point_v<T> ? 2 : is_signed_v<T> ? 1 : 0);
    } else sort(first, last, [](const auto &a, const auto &b) { return a < b; });
}
template <class I, class F> inline void stable_sort(I first, I last, F less) {
    ptrdiff_t n = last - first;
    if (n < 2) return;
    if (n <= 16) { __lw_insertion_sort(first, last, less); return; }
    I middle = first + n / 2;
    stable_sort(first, middle, less);
    stable_sort(middle, last, less);
    vector<typename iterator_traits<I>::value_type> left(first, middle);
    auto a = left.begin(), enda = left.end();
    for (; a != enda; ++first) {
        if (middle != last && less(*middle, *a)) { *first = std::move(*middle); ++middle; }
        else { *first = std::move(*a); ++a; }
    }
}
template <class I> inline void stable_sort(I first, I last) { stable_sort(first, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class F> inline void partial_sort(I first, I middle, I last, F less) {
    make_heap(first, middle, less);
    for (I at = middle; at < last; ++at) if (less(*at, *first)) { iter_swap(at, first); __lw_sift(first, 0, middle - first, less); }
    sort_heap(first, middle, less);
}
template <class I> inline void partial_sort(I first, I middle, I last) { partial_sort(first, middle, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class F> inline void nth_element(I first, I nth, I last, F less) {
    while (last - first > 3) {
        I cut = __lw_split(first, last, less);
        if (cut <= nth) first = cut; else last = cut;
    }
    __lw_insertion_sort(first, last, less);
}
template <class I> inline void nth_element(I first, I nth, I last) { nth_element(first, nth, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class F> inline bool is_sorted(I first, I last, F less) { if (first == last) return true; for (I at = first; ++at != last; ++first) if (less(*at, *first)) return false; return true; }
template <class I> inline bool is_sorted(I first, I last) { return is_sorted(first, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class F> inline bool next_permutation(I first, I last, F less) {
    if (last - first < 2) return false;
    for (I at = last - 1; at != first;) {
        I after = at;
        if (less(*--at, *after)) {
            I other = last;
            while (!less(*at, *--other)) {}
            iter_swap(at, other);
            reverse(after, last);
            return true;
        }
    }
    reverse(first, last);
    return false;
}
template <class I> inline bool next_permutation(I first, I last) { return next_permutation(first, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class F> inline bool prev_permutation(I first, I last, F less) {
    return next_permutation(first, last, [&](const auto &a, const auto &b) { return less(b, a); });
}
template <class I> inline bool prev_permutation(I first, I last) { return prev_permutation(first, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class F> inline I stable_partition(I first, I last, F f) {
    vector<typename iterator_traits<I>::value_type> rest;
    I to = first;
    for (; first != last; ++first) {
        if (f(*first)) { if (to != first) *to = std::move(*first); ++to; }
        else rest.push_back(std::move(*first));
    }
    std::move(rest.begin(), rest.end(), to);
    return to;
}
template <class I, class F> inline bool is_partitioned(I first, I last, F f) { first = find_if_not(first, last, f); return find_if(first, last, f) == last; }
template <class I, class F> inline I adjacent_find(I first, I last, F same) {
    if (first == last) return last;
    for (I at = first; ++at != last; ++first) if (same(*first, *at)) return first;
    return last;
}
template <class I> inline I adjacent_find(I first, I last) { return adjacent_find(first, last, [](const auto &a, const auto &b) { return a == b; }); }
template <class I, class O, class F> inline O remove_copy_if(I first, I last, O to, F f) { for (; first != last; ++first) if (!f(*first)) { *to = *first; ++to; } return to; }
template <class I, class O, class T> inline O remove_copy(I first, I last, O to, const T &value) { for (; first != last; ++first) if (!(*first == value)) { *to = *first; ++to; } return to; }
template <class I, class O, class F, class T> inline O replace_copy_if(I first, I last, O to, F f, const T &value) { for (; first != last; ++first, ++to) { if (f(*first)) *to = value; else *to = *first; } return to; }
template <class I, class O> inline O unique_copy(I first, I last, O to) {
    if (first == last) return to;
    I kept = first;
    *to = *first; ++to;
    while (++first != last) if (!(*kept == *first)) { kept = first; *to = *first; ++to; }
    return to;
}
// Merges two sorted ranges. The flags keep elements that are only in the first, only in the second, or in both.
template <bool ONE, bool TWO, bool BOTH, class I, class J, class O, class F> inline O __lw_set(I a, I enda, J b, J endb, O to, F less) {
    while (a != enda || b != endb) {
        bool first = b == endb || (a != enda && less(*a, *b)), second = !first && (a == enda || less(*b, *a));
        if (second ? TWO : first ? ONE : BOTH) { if (second) *to = *b; else *to = *a; ++to; }
        if (!second) ++a;
        if (!first) ++b;
    }
    return to;
}
#define __LW_SET(NAME, ONE, TWO, BOTH)                                                                                \
    template <class I, class J, class O, class F> inline O NAME(I a, I enda, J b, J endb, O to, F less) { return __lw_set<ONE, TWO, BOTH>(a, enda, b, endb, to, less); } \
    template <class I, class J, class O> inline O NAME(I a, I enda, J b, J endb, O to) { return __lw_set<ONE, TWO, BOTH>(a, enda, b, endb, to, [](const auto &x, const auto &y) { return x < y; }); }
__LW_SET(set_union, true, true, true)
__LW_SET(set_difference, true, false, false)
__LW_SET(set_symmetric_difference, true, true, false)
#undef __LW_SET
template <class I, class J> inline bool includes(I a, I enda, J b, J endb) {
    for (; b != endb; ++a) {
        if (a == enda || *b < *a) return false;
        if (!(*a < *b)) ++b;
    }
    return true;
}
template <class I, class J, class O> inline O set_intersection(I a, I enda, J b, J endb, O to) {
    while (a != enda && b != endb) { if (*a < *b) ++a; else if (*b < *a) ++b; else { *to = *a; ++to; ++a; ++b; } }
    return to;
}
template <class I, class J> inline I search(I first, I last, J a, J b) {
    for (;; ++first) {
        I at = first;
        for (J want = a;; ++at, ++want) { if (want == b) return first; if (at == last) return last; if (!(*at == *want)) break; }
    }
}
template <class C> struct back_insert_iterator {
    typedef output_iterator_tag iterator_category;
    C *to;
    template <class T> back_insert_iterator &operator=(T &&value) { to->push_back(static_cast<T &&>(value)); return *this; }
    back_insert_iterator &operator*() { return *this; }
    back_insert_iterator &operator++() { return *this; }
    back_insert_iterator operator++(int) { return *this; }
};
template <class C> inline back_insert_iterator<C> back_inserter(C &c) { return back_insert_iterator<C>{&c}; }
template <class V, class C> struct __lw_has_keys : false_type {};
template <class C> struct __lw_has_keys<void_t<typename C::key_type>, C> : true_type {};
template <class C> struct insert_iterator {
    typedef output_iterator_tag iterator_category;
    C *to;
    typename C::iterator at;
    template <class T> insert_iterator &operator=(T &&value) {
        if constexpr (__lw_has_keys<void, C>::value) to->insert(static_cast<T &&>(value));
        else { at = to->insert(at, static_cast<T &&>(value)); ++at; }
        return *this;
    }
    insert_iterator &operator*() { return *this; }
    insert_iterator &operator++() { return *this; }
    insert_iterator &operator++(int) { return *this; }
};
template <class C, class I> inline insert_iterator<C> inserter(C &c, I at) { return insert_iterator<C>{&c, at}; }
template <class C> struct front_insert_iterator {
    typedef output_iterator_tag iterator_category;
    C *to;
    template <class T> front_insert_iterator &operator=(T &&value) { to->push_front(static_cast<T &&>(value)); return *this; }
    front_insert_iterator &operator*() { return *this; }
    front_insert_iterator &operator++() { return *this; }
    front_insert_iterator operator++(int) { return *this; }
};
template <class C> inline front_insert_iterator<C> front_inserter(C &c) { return front_insert_iterator<C>{&c}; }
template <class I, class O> inline O rotate_copy(I first, I middle, I last, O to) { return copy(first, middle, copy(middle, last, to)); }
template <class I, class F> inline I is_sorted_until(I first, I last, F less) {
    if (first == last) return last;
    for (I at = first; ++at != last; ++first) if (less(*at, *first)) return at;
    return last;
}
template <class I> inline I is_sorted_until(I first, I last) { return is_sorted_until(first, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class J, class F> inline bool is_permutation(I first, I last, J other, J end, F same) {
    if (distance(first, last) != distance(other, end)) return false;
    for (I at = first; at != last; ++at) {
        ptrdiff_t n = 0;
        for (I i = first; i != last; ++i) n += same(*i, *at);
        for (J j = other; j != end; ++j) n -= same(*at, *j);
        if (n != 0) return false;
    }
    return true;
}
template <class I, class J> inline bool is_permutation(I first, I last, J other, J end) { return is_permutation(first, last, other, end, [](const auto &a, const auto &b) -> bool { return a == b; }); }
template <class I, class J> inline bool is_permutation(I first, I last, J other) { return is_permutation(first, last, other, next(other, distance(first, last))); }
template <class I, class F> inline void inplace_merge(I first, I middle, I last, F less) {
    typedef typename iterator_traits<I>::value_type T;
    vector<T> a(first, middle), b(middle, last);
    merge(a.begin(), a.end(), b.begin(), b.end(), first, less);
}
template <class I> inline void inplace_merge(I first, I middle, I last) { inplace_merge(first, middle, last, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class J, class F> inline J partial_sort_copy(I first, I last, J to, J end, F less) {
    vector<typename iterator_traits<I>::value_type> all(first, last);
    ptrdiff_t n = distance(to, end), count = (ptrdiff_t)all.size();
    if (n > count) n = count;
    partial_sort(all.begin(), all.begin() + n, all.end(), less);
    return copy(all.begin(), all.begin() + n, to);
}
template <class I, class J> inline J partial_sort_copy(I first, I last, J to, J end) { return partial_sort_copy(first, last, to, end, [](const auto &a, const auto &b) { return a < b; }); }
template <class I, class N, class F> inline I for_each_n(I first, N n, F f) { for (; n > 0; --n, ++first) f(*first); return first; }
template <class T, class F> inline T max(initializer_list<T> list, F less) { return *max_element(list.begin(), list.end(), less); }
template <class T, class F> inline T min(initializer_list<T> list, F less) { return *min_element(list.begin(), list.end(), less); }
template <class I, class G> inline void shuffle(I first, I last, G &&make);
// Policies of parallel algorithms; all run serially.
namespace execution {
struct parallel_unsequenced_policy {};
typedef parallel_unsequenced_policy sequenced_policy, parallel_policy, unsequenced_policy;
inline constexpr parallel_unsequenced_policy seq{}, par{}, par_unseq{}, unseq{};
} // namespace execution
#define __LW_WITH_POLICY(NAME) template <class... A> inline decltype(auto) NAME(const execution::parallel_unsequenced_policy &, A &&...a) { return NAME(static_cast<A &&>(a)...); }
__LW_WITH_POLICY(for_each) __LW_WITH_POLICY(for_each_n) __LW_WITH_POLICY(transform) __LW_WITH_POLICY(transform_reduce) __LW_WITH_POLICY(reduce)
__LW_WITH_POLICY(sort) __LW_WITH_POLICY(stable_sort) __LW_WITH_POLICY(fill) __LW_WITH_POLICY(copy) __LW_WITH_POLICY(count_if)
__LW_WITH_POLICY(inclusive_scan) __LW_WITH_POLICY(exclusive_scan) __LW_WITH_POLICY(max_element) __LW_WITH_POLICY(min_element)
#undef __LW_WITH_POLICY
} // namespace std
