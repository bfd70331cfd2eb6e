// Thrust's algorithms. A policy is accepted and ignored.
namespace thrust {
struct __lw_policy {
    template <class S> __LW_BOTH __lw_policy on(S) const { return {}; }
    template <class A> __LW_BOTH __lw_policy operator()(A &&) const { return {}; }
};
constexpr __lw_policy device{}, host{}, seq{};
typedef __lw_policy device_system_tag;
typedef __lw_policy host_system_tag;
namespace cuda { constexpr __lw_policy par{}, par_nosync{}; typedef __lw_policy tag; }
namespace cuda_cub { constexpr __lw_policy par{}, par_nosync{}; }
namespace omp { constexpr __lw_policy par{}; }
namespace system { namespace cuda { constexpr __lw_policy par{}; } }
#define __LW_POLICY(NAME) template <class... A> __LW_BOTH decltype(auto) NAME(const __lw_policy &, A &&...a) { return thrust::NAME(static_cast<A &&>(a)...); }

template <class I, class F> __LW_BOTH I for_each(I first, I last, F f) { __LW_OPEN; for (; first != last; ++first) f(*first); return last; }
template <class I, class N, class F> __LW_BOTH I for_each_n(I first, N n, F f) { return thrust::for_each(first, first + n, f); }
template <class I, class O, class F> __LW_BOTH O transform(I first, I last, O to, F f) { __LW_OPEN; for (; first != last; ++first, ++to) *to = f(*first); return to; }
template <class I, class J, class O, class F> __LW_BOTH O transform(I first, I last, J other, O to, F f) {
    __LW_OPEN;
    for (; first != last; ++first, ++other, ++to) *to = f(*first, *other);
    return to;
}
template <class I, class O, class F, class P> __LW_BOTH O transform_if(I first, I last, O to, F f, P wanted) { __LW_OPEN; for (; first != last; ++first, ++to) if (wanted(*first)) *to = f(*first); return to; }
template <class I, class S, class O, class F, class P> __LW_BOTH O transform_if(I first, I last, S stencil, O to, F f, P wanted) { __LW_OPEN; for (; first != last; ++first, ++stencil, ++to) if (wanted(*stencil)) *to = f(*first); return to; }
template <class I, class T> __LW_BOTH void fill(I first, I last, const T &value) { __LW_OPEN; for (; first != last; ++first) *first = value; }
template <class I, class N, class T> __LW_BOTH I fill_n(I first, N n, const T &value) { thrust::fill(first, first + n, value); return first + n; }
template <class I, class T> __LW_BOTH void uninitialized_fill(I first, I last, const T &value) { thrust::fill(first, last, value); }
template <class I, class O> __LW_BOTH O copy(I first, I last, O to) { __LW_OPEN; for (; first != last; ++first, ++to) *to = *first; return to; }
template <class I, class N, class O> __LW_BOTH O copy_n(I first, N n, O to) { __LW_OPEN; for (N i = 0; i < n; ++i, ++first, ++to) *to = *first; return to; }
template <class I, class O> __LW_BOTH O uninitialized_copy(I first, I last, O to) { return thrust::copy(first, last, to); }
template <class I, class O, class P> __LW_BOTH O copy_if(I first, I last, O to, P wanted) { __LW_OPEN; for (; first != last; ++first) if (wanted(*first)) { *to = *first; ++to; } return to; }
template <class I, class S, class O, class P> __LW_BOTH O copy_if(I first, I last, S stencil, O to, P wanted) { __LW_OPEN; for (; first != last; ++first, ++stencil) if (wanted(*stencil)) { *to = *first; ++to; } return to; }
template <class I> __LW_BOTH void sequence(I first, I last) { __LW_OPEN; for (typename iterator_traits<I>::value_type value = 0; first != last; ++first, value = value + 1) *first = value; }
template <class I, class T> __LW_BOTH void sequence(I first, I last, T value) { __LW_OPEN; for (; first != last; ++first, value = value + 1) *first = value; }
template <class I, class T, class D> __LW_BOTH void sequence(I first, I last, T value, D step) { __LW_OPEN; for (ptrdiff_t i = 0; first != last; ++first, ++i) *first = value + step * (T)i; }
template <class I, class F> __LW_BOTH void generate(I first, I last, F f) { __LW_OPEN; for (; first != last; ++first) *first = f(); }
template <class I, class N, class F> __LW_BOTH I generate_n(I first, N n, F f) { thrust::generate(first, first + n, f); return first + n; }
template <class I, class F> __LW_BOTH void tabulate(I first, I last, F f) { __LW_OPEN; for (ptrdiff_t i = 0; first != last; ++first, ++i) *first = f(i); }
template <class I, class T, class F> __LW_BOTH T reduce(I first, I last, T sum, F f) { __LW_OPEN; for (; first != last; ++first) sum = f(sum, *first); return sum; }
template <class I, class T> __LW_BOTH T reduce(I first, I last, T sum) { __LW_OPEN; for (; first != last; ++first) sum = sum + *first; return sum; }
template <class I> __LW_BOTH typename iterator_traits<I>::value_type reduce(I first, I last) { return thrust::reduce(first, last, (typename iterator_traits<I>::value_type)0); }
template <class I, class G, class T, class F> __LW_BOTH T transform_reduce(I first, I last, G g, T sum, F f) { __LW_OPEN; for (; first != last; ++first) sum = f(sum, g(*first)); return sum; }
template <class I, class J, class T> __LW_BOTH T inner_product(I first, I last, J other, T sum) { __LW_OPEN; for (; first != last; ++first, ++other) sum = sum + *first * *other; return sum; }
template <class I, class J, class T, class F, class G> __LW_BOTH T inner_product(I first, I last, J other, T sum, F f, G g) { __LW_OPEN; for (; first != last; ++first, ++other) sum = f(sum, g(*first, *other)); return sum; }
template <class I, class T> __LW_BOTH ptrdiff_t count(I first, I last, const T &value) { __LW_OPEN; ptrdiff_t n = 0; for (; first != last; ++first) if (*first == value) n++; return n; }
template <class I, class P> __LW_BOTH ptrdiff_t count_if(I first, I last, P wanted) { __LW_OPEN; ptrdiff_t n = 0; for (; first != last; ++first) if (wanted(*first)) n++; return n; }
template <class I, class F> __LW_BOTH I min_element(I first, I last, F less) { __LW_OPEN; I best = first; for (; first != last; ++first) if (less(*first, *best)) best = first; return best; }
template <class I, class F> __LW_BOTH I max_element(I first, I last, F less) { __LW_OPEN; I best = first; for (; first != last; ++first) if (less(*best, *first)) best = first; return best; }
template <class I> __LW_BOTH I min_element(I first, I last) { return thrust::min_element(first, last, less<>()); }
template <class I> __LW_BOTH I max_element(I first, I last) { return thrust::max_element(first, last, less<>()); }
template <class I, class F> __LW_BOTH pair<I, I> minmax_element(I first, I last, F less) { return pair<I, I>(thrust::min_element(first, last, less), thrust::max_element(first, last, less)); }
template <class I> __LW_BOTH pair<I, I> minmax_element(I first, I last) { return thrust::minmax_element(first, last, less<>()); }
template <class I, class P> __LW_BOTH I find_if(I first, I last, P wanted) { __LW_OPEN; for (; first != last; ++first) if (wanted(*first)) break; return first; }
template <class I, class P> __LW_BOTH I find_if_not(I first, I last, P wanted) { __LW_OPEN; for (; first != last; ++first) if (!wanted(*first)) break; return first; }
template <class I, class T> __LW_BOTH I find(I first, I last, const T &value) { __LW_OPEN; for (; first != last; ++first) if (*first == value) break; return first; }
template <class I, class P> __LW_BOTH bool all_of(I first, I last, P wanted) { return thrust::find_if_not(first, last, wanted) == last; }
template <class I, class P> __LW_BOTH bool any_of(I first, I last, P wanted) { return thrust::find_if(first, last, wanted) != last; }
template <class I, class P> __LW_BOTH bool none_of(I first, I last, P wanted) { return thrust::find_if(first, last, wanted) == last; }
template <class I, class J> __LW_BOTH bool equal(I first, I last, J other) { __LW_OPEN; for (; first != last; ++first, ++other) if (!(*first == *other)) return false; return true; }
template <class I, class J, class P> __LW_BOTH bool equal(I first, I last, J other, P same) { __LW_OPEN; for (; first != last; ++first, ++other) if (!same(*first, *other)) return false; return true; }
template <class I, class J> __LW_BOTH pair<I, J> mismatch(I first, I last, J other) { __LW_OPEN; for (; first != last; ++first, ++other) if (!(*first == *other)) break; return pair<I, J>(first, other); }

template <class I, class O, class F> __LW_BOTH O inclusive_scan(I first, I last, O to, F f) {
    __LW_OPEN;
    if (first == last) return to;
    typename iterator_traits<I>::value_type sum = *first;
    *to = sum;
    for (++first, ++to; first != last; ++first, ++to) { sum = f(sum, *first); *to = sum; }
    return to;
}
template <class I, class O> __LW_BOTH O inclusive_scan(I first, I last, O to) { return thrust::inclusive_scan(first, last, to, plus<>()); }
template <class I, class O, class T, class F> __LW_BOTH O inclusive_scan(I first, I last, O to, T sum, F f) { __LW_OPEN; for (; first != last; ++first, ++to) { sum = f(sum, *first); *to = sum; } return to; }
template <class I, class O, class T, class F> __LW_BOTH O exclusive_scan(I first, I last, O to, T sum, F f) { __LW_OPEN; for (; first != last; ++first, ++to) { T next = f(sum, *first); *to = sum; sum = next; } return to; }
template <class I, class O, class T> __LW_BOTH O exclusive_scan(I first, I last, O to, T sum) { return thrust::exclusive_scan(first, last, to, sum, plus<>()); }
template <class I, class O> __LW_BOTH O exclusive_scan(I first, I last, O to) { return thrust::exclusive_scan(first, last, to, (typename iterator_traits<I>::value_type)0); }
template <class F, class I> __LW_BOTH auto __lw_transformed(I i, const F &f) { return transform_iterator<F, I>(i, f); }
template <class I, class O, class G, class F> __LW_BOTH O transform_inclusive_scan(I first, I last, O to, G g, F f) { return thrust::inclusive_scan(__lw_transformed(first, g), __lw_transformed(last, g), to, f); }
template <class I, class O, class G, class T, class F> __LW_BOTH O transform_exclusive_scan(I first, I last, O to, G g, T sum, F f) { return thrust::exclusive_scan(__lw_transformed(first, g), __lw_transformed(last, g), to, sum, f); }
template <class K, class I, class O, class P, class F> __LW_BOTH O inclusive_scan_by_key(K key, K last, I from, O to, P same, F f) {
    __LW_OPEN;
    if (key == last) return to;
    typename iterator_traits<I>::value_type sum = *from;
    *to = sum;
    for (K before = key++; key != last; before = key++) {
        ++from; ++to;
        if (same(*before, *key)) sum = f(sum, *from); else sum = *from;
        *to = sum;
    }
    return ++to;
}
template <class K, class I, class O, class P> __LW_BOTH O inclusive_scan_by_key(K key, K last, I from, O to, P same) { return thrust::inclusive_scan_by_key(key, last, from, to, same, plus<>()); }
template <class K, class I, class O> __LW_BOTH O inclusive_scan_by_key(K key, K last, I from, O to) { return thrust::inclusive_scan_by_key(key, last, from, to, equal_to<>()); }
template <class K, class I, class O, class T, class P, class F> __LW_BOTH O exclusive_scan_by_key(K key, K last, I from, O to, T start, P same, F f) {
    __LW_OPEN;
    T sum = start;
    for (K first = key, before = key; key != last; before = key, ++key, ++from, ++to) {
        if (key != first && !same(*before, *key)) sum = start;
        T next = f(sum, *from);
        *to = sum;
        sum = next;
    }
    return to;
}
template <class K, class I, class O, class T, class P> __LW_BOTH O exclusive_scan_by_key(K key, K last, I from, O to, T start, P same) { return thrust::exclusive_scan_by_key(key, last, from, to, start, same, plus<>()); }
template <class K, class I, class O, class T> __LW_BOTH O exclusive_scan_by_key(K key, K last, I from, O to, T start) { return thrust::exclusive_scan_by_key(key, last, from, to, start, equal_to<>()); }
template <class K, class I, class O> __LW_BOTH O exclusive_scan_by_key(K key, K last, I from, O to) { return thrust::exclusive_scan_by_key(key, last, from, to, (typename iterator_traits<I>::value_type)0); }
template <class K, class I, class L, class O, class P, class F> __LW_BOTH pair<L, O> reduce_by_key(K key, K last, I from, L keys, O to, P same, F f) {
    __LW_OPEN;
    while (key != last) {
        typename iterator_traits<K>::value_type held = *key;
        typename iterator_traits<I>::value_type sum = *from;
        for (++key, ++from; key != last && same(held, *key); ++key, ++from) sum = f(sum, *from);
        *keys = held;
        *to = sum;
        ++keys; ++to;
    }
    return pair<L, O>(keys, to);
}
template <class K, class I, class L, class O, class P> __LW_BOTH pair<L, O> reduce_by_key(K key, K last, I from, L keys, O to, P same) { return thrust::reduce_by_key(key, last, from, keys, to, same, plus<>()); }
template <class K, class I, class L, class O> __LW_BOTH pair<L, O> reduce_by_key(K key, K last, I from, L keys, O to) { return thrust::reduce_by_key(key, last, from, keys, to, equal_to<>()); }
template <class I, class O, class F> __LW_BOTH O adjacent_difference(I first, I last, O to, F f) {
    __LW_OPEN;
    if (first == last) return to;
    typename iterator_traits<I>::value_type before = *first;
    *to = before;
    for (++first, ++to; first != last; ++first, ++to) { typename iterator_traits<I>::value_type now = *first; *to = f(now, before); before = now; }
    return to;
}
template <class I, class O> __LW_BOTH O adjacent_difference(I first, I last, O to) { return thrust::adjacent_difference(first, last, to, minus<>()); }

template <class M, class I, class O> __LW_BOTH O gather(M map, M last, I from, O to) { __LW_OPEN; for (; map != last; ++map, ++to) *to = *(from + (ptrdiff_t)*map); return to; }
template <class M, class S, class I, class O> __LW_BOTH O gather_if(M map, M last, S stencil, I from, O to) { __LW_OPEN; for (; map != last; ++map, ++stencil, ++to) if (*stencil) *to = *(from + (ptrdiff_t)*map); return to; }
template <class I, class M, class O> __LW_BOTH void scatter(I first, I last, M map, O to) { __LW_OPEN; for (; first != last; ++first, ++map) *(to + (ptrdiff_t)*map) = *first; }
template <class I, class M, class S, class O> __LW_BOTH void scatter_if(I first, I last, M map, S stencil, O to) { __LW_OPEN; for (; first != last; ++first, ++map, ++stencil) if (*stencil) *(to + (ptrdiff_t)*map) = *first; }
template <class I> __LW_BOTH void __lw_exchange(I a, I b) { typename iterator_traits<I>::value_type held = *a; *a = *b; *b = held; }
template <class I> __LW_BOTH void reverse(I first, I last) { __LW_OPEN; for (; first < last && first < --last; ++first) __lw_exchange(first, last); }
template <class I, class O> __LW_BOTH O reverse_copy(I first, I last, O to) { __LW_OPEN; for (; first != last; ++to) *to = *--last; return to; }
template <class I, class J> __LW_BOTH J swap_ranges(I first, I last, J other) { __LW_OPEN; for (; first != last; ++first, ++other) { typename iterator_traits<I>::value_type held = *first; *first = *other; *other = held; } return other; }
template <class I, class P> __LW_BOTH I remove_if(I first, I last, P wanted) { __LW_OPEN; I to = first; for (; first != last; ++first) if (!wanted(*first)) { *to = *first; ++to; } return to; }
template <class I, class S, class P> __LW_BOTH I remove_if(I first, I last, S stencil, P wanted) { __LW_OPEN; I to = first; for (; first != last; ++first, ++stencil) if (!wanted(*stencil)) { *to = *first; ++to; } return to; }
template <class I, class T> __LW_BOTH I remove(I first, I last, const T &value) { __LW_OPEN; I to = first; for (; first != last; ++first) if (!(*first == value)) { *to = *first; ++to; } return to; }
template <class I, class O, class P> __LW_BOTH O remove_copy_if(I first, I last, O to, P wanted) { __LW_OPEN; for (; first != last; ++first) if (!wanted(*first)) { *to = *first; ++to; } return to; }
template <class I, class O, class T> __LW_BOTH O remove_copy(I first, I last, O to, const T &value) { __LW_OPEN; for (; first != last; ++first) if (!(*first == value)) { *to = *first; ++to; } return to; }
template <class I, class P, class T> __LW_BOTH void replace_if(I first, I last, P wanted, const T &value) { __LW_OPEN; for (; first != last; ++first) if (wanted(*first)) *first = value; }
template <class I, class S, class P, class T> __LW_BOTH void replace_if(I first, I last, S stencil, P wanted, const T &value) { __LW_OPEN; for (; first != last; ++first, ++stencil) if (wanted(*stencil)) *first = value; }
template <class I, class T> __LW_BOTH void replace(I first, I last, const T &old, const T &value) { __LW_OPEN; for (; first != last; ++first) if (*first == old) *first = value; }
template <class I, class P> __LW_BOTH I unique(I first, I last, P same) {
    __LW_OPEN;
    if (first == last) return last;
    I to = first;
    for (++first; first != last; ++first) if (!same(*to, *first)) { ++to; *to = *first; }
    return ++to;
}
template <class I> __LW_BOTH I unique(I first, I last) { return thrust::unique(first, last, equal_to<>()); }
template <class I, class O, class P> __LW_BOTH O unique_copy(I first, I last, O to, P same) {
    __LW_OPEN;
    if (first == last) return to;
    typename iterator_traits<I>::value_type held = *first;
    *to = held;
    for (++first, ++to; first != last; ++first) if (!same(held, *first)) { held = *first; *to = held; ++to; }
    return to;
}
template <class I, class O> __LW_BOTH O unique_copy(I first, I last, O to) { return thrust::unique_copy(first, last, to, equal_to<>()); }
template <class K, class I, class P> __LW_BOTH pair<K, I> unique_by_key(K key, K last, I values, P same) {
    __LW_OPEN;
    if (key == last) return pair<K, I>(key, values);
    K to = key;
    I put = values;
    for (++key, ++values; key != last; ++key, ++values) if (!same(*to, *key)) { ++to; ++put; *to = *key; *put = *values; }
    return pair<K, I>(++to, ++put);
}
template <class K, class I> __LW_BOTH pair<K, I> unique_by_key(K key, K last, I values) { return thrust::unique_by_key(key, last, values, equal_to<>()); }
template <class K, class I, class L, class O> __LW_BOTH pair<L, O> unique_by_key_copy(K key, K last, I values, L keys, O to) {
    __LW_OPEN;
    for (K first = key, before = key; key != last; before = key, ++key, ++values) if (key == first || !(*before == *key)) { *keys = *key; *to = *values; ++keys; ++to; }
    return pair<L, O>(keys, to);
}
template <class I, class F> __LW_BOTH bool is_sorted(I first, I last, F less) { __LW_OPEN; if (first == last) return true; for (I at = first; ++at != last; ++first) if (less(*at, *first)) return false; return true; }
template <class I> __LW_BOTH bool is_sorted(I first, I last) { return thrust::is_sorted(first, last, less<>()); }

// Memory of the algorithms themselves.
template <class T> struct __lw_buffer {
    T *list;
    __LW_BOTH explicit __lw_buffer(size_t n) : list((T *)malloc((n ? n : 1) * sizeof(T))) { for (size_t i = 0; i < n; i++) new ((void *)(list + i)) T(); }
    __LW_BOTH ~__lw_buffer() { free((void *)list); }
    __lw_buffer(const __lw_buffer &) = delete;
};
// Sorts places by their keys, stably: insertion sort of short parts, then merges from one array to the other.
template <class T, class F> __LW_BOTH unsigned *__lw_merge_sort(const T *keys, unsigned *a, unsigned *b, size_t n, F less) {
    for (size_t i = 0; i < n; i++) a[i] = (unsigned)i;
    for (size_t start = 0; start < n; start += 8)
        for (size_t i = start + 1; i < n && i < start + 8; i++) {
            unsigned held = a[i];
            size_t to = i;
            for (; to > start && less(keys[held], keys[a[to - 1]]); to--) a[to] = a[to - 1];
            a[to] = held;
        }
    for (size_t run = 8; run < n; run *= 2) {
        for (size_t start = 0; start < n; start += 2 * run) {
            size_t middle = start + run < n ? start + run : n, end = start + 2 * run < n ? start + 2 * run : n, i = start, j = middle;
            for (size_t to = start; to < end; to++) b[to] = j < end && (i == middle || less(keys[a[j]], keys[a[i]])) ? a[j++] : a[i++];
        }
        unsigned *held = a; a = b; b = held;
    }
    return a;
}
template <class F> struct __lw_order { static constexpr int value = 0; };
template <class T> struct __lw_order<less<T>> { static constexpr int value = 1; };
template <class T> struct __lw_order<greater<T>> { static constexpr int value = 2; };
template <class T, class F> __LW_BOTH unsigned *__lw_sorted(const T *keys, unsigned *a, unsigned *b, size_t n, F less) {
#ifdef __LW_HOST__
    if constexpr (std::is_arithmetic_v<T> && __lw_order<F>::value) {
        __lw_sort((void *)keys, n, sizeof(T), std::is_floating_point_v<T> ? 2 : std::is_signed_v<T> ? 1 : 0, __lw_order<F>::value == 2, a);
        return a;
    }
#endif
    return __lw_merge_sort(keys, a, b, n, less);
}
template <class I, class F> __LW_BOTH void stable_sort(I first, I last, F less) {
    __LW_OPEN;
    typedef typename iterator_traits<I>::value_type T;
    size_t n = last - first;
    __lw_buffer<T> keys(n);
    __lw_buffer<unsigned> a(n), b(n);
    for (size_t i = 0; i < n; i++) keys.list[i] = *(first + i);
    unsigned *order = __lw_sorted(keys.list, a.list, b.list, n, less);
    for (size_t i = 0; i < n; i++) *(first + i) = keys.list[order[i]];
}
template <class I> __LW_BOTH void stable_sort(I first, I last) { thrust::stable_sort(first, last, less<>()); }
template <class I, class F> __LW_BOTH void sort(I first, I last, F less) { thrust::stable_sort(first, last, less); }
template <class I> __LW_BOTH void sort(I first, I last) { thrust::stable_sort(first, last, less<>()); }
template <class K, class I, class F> __LW_BOTH void stable_sort_by_key(K first, K last, I values, F less) {
    __LW_OPEN;
    typedef typename iterator_traits<K>::value_type T;
    typedef typename iterator_traits<I>::value_type V;
    size_t n = last - first;
    __lw_buffer<T> keys(n);
    __lw_buffer<V> held(n);
    __lw_buffer<unsigned> a(n), b(n);
    for (size_t i = 0; i < n; i++) { keys.list[i] = *(first + i); held.list[i] = *(values + i); }
    unsigned *order = __lw_sorted(keys.list, a.list, b.list, n, less);
    for (size_t i = 0; i < n; i++) { *(first + i) = keys.list[order[i]]; *(values + i) = held.list[order[i]]; }
}
template <class K, class I> __LW_BOTH void stable_sort_by_key(K first, K last, I values) { thrust::stable_sort_by_key(first, last, values, less<>()); }
template <class K, class I, class F> __LW_BOTH void sort_by_key(K first, K last, I values, F less) { thrust::stable_sort_by_key(first, last, values, less); }
template <class K, class I> __LW_BOTH void sort_by_key(K first, K last, I values) { thrust::stable_sort_by_key(first, last, values, less<>()); }
template <class I, class P> __LW_BOTH I stable_partition(I first, I last, P wanted) {
    __LW_OPEN;
    size_t n = last - first, rest = 0;
    __lw_buffer<typename iterator_traits<I>::value_type> others(n);
    I to = first;
    for (; first != last; ++first) if (wanted(*first)) { *to = *first; ++to; } else others.list[rest++] = *first;
    I end = to;
    for (size_t i = 0; i < rest; i++, ++to) *to = others.list[i];
    return end;
}
template <class I, class P> __LW_BOTH I partition(I first, I last, P wanted) { return thrust::stable_partition(first, last, wanted); }
template <class I, class O, class R, class P> __LW_BOTH pair<O, R> partition_copy(I first, I last, O to, R rest, P wanted) {
    __LW_OPEN;
    for (; first != last; ++first) if (wanted(*first)) { *to = *first; ++to; } else { *rest = *first; ++rest; }
    return pair<O, R>(to, rest);
}
template <bool UPPER, class I, class T, class F> __LW_BOTH I __lw_bound(I first, I last, const T &value, F less) {
    for (ptrdiff_t n = last - first; n > 0;) {
        ptrdiff_t half = n / 2;
        I middle = first + half;
        bool right;
        if constexpr (UPPER) right = !less(value, *middle); else right = less(*middle, value);
        if (right) { first = middle + 1; n -= half + 1; } else n = half;
    }
    return first;
}
#define __LW_BOUND(NAME, UPPER)                                                                                       \
    template <class I, class T> __LW_BOTH I NAME(I first, I last, const T &value) { __LW_OPEN; return __lw_bound<UPPER>(first, last, value, less<>()); } \
    template <class I, class J, class O> __LW_BOTH O NAME(I first, I last, J value, J end, O to) {                    \
        __LW_OPEN;                                                                                                    \
        for (; value != end; ++value, ++to) *to = __lw_bound<UPPER>(first, last, *value, less<>()) - first;           \
        return to;                                                                                                    \
    }                                                                                                                 \
    template <class I, class T, class F> __LW_BOTH I NAME(I first, I last, const T &value, F less) { __LW_OPEN; return __lw_bound<UPPER>(first, last, value, less); }
__LW_BOUND(lower_bound, false) __LW_BOUND(upper_bound, true)
#undef __LW_BOUND
template <class I, class T> __LW_BOTH bool binary_search(I first, I last, const T &value) { __LW_OPEN; first = __lw_bound<false>(first, last, value, less<>()); return first != last && !(value < *first); }
template <class I, class J, class O> __LW_BOTH O binary_search(I first, I last, J value, J end, O to) {
    __LW_OPEN;
    for (; value != end; ++value, ++to) { I at = __lw_bound<false>(first, last, *value, less<>()); *to = at != last && !(*value < *at); }
    return to;
}
// Merges two sorted ranges; keeps what is only in the first, only in the second, or in both: once or twice.
template <int ONE, int TWO, int BOTH, class I, class J, class O, class F> __LW_BOTH O __lw_set(I a, I enda, J b, J endb, O to, F less) {
    __LW_OPEN;
    while (a != enda || b != endb) {
        bool one = b == endb || (a != enda && less(*a, *b)), two = !one && (a == enda || less(*b, *a));
        int times = one ? ONE : two ? TWO : BOTH;
        if (times) { if (two) *to = *b; else *to = *a; ++to; }
        if (times == 2) { *to = *b; ++to; }
        if (!two) ++a;
        if (!one) ++b;
    }
    return to;
}
#define __LW_SET(NAME, ONE, TWO, BOTH)                                                                                \
    template <class I, class J, class O, class F> __LW_BOTH O NAME(I a, I enda, J b, J endb, O to, F less) { return __lw_set<ONE, TWO, BOTH>(a, enda, b, endb, to, less); } \
    template <class I, class J, class O> __LW_BOTH O NAME(I a, I enda, J b, J endb, O to) { return __lw_set<ONE, TWO, BOTH>(a, enda, b, endb, to, less<>()); }
__LW_SET(merge, 1, 1, 2) __LW_SET(set_union, 1, 1, 1) __LW_SET(set_intersection, 0, 0, 1) __LW_SET(set_difference, 1, 0, 0)
__LW_SET(set_symmetric_difference, 1, 1, 0)
#undef __LW_SET
template <class K, class L, class I, class J, class M, class O> __LW_BOTH pair<M, O> merge_by_key(K a, K enda, L b, L endb, I x, J y, M keys, O to) {
    __LW_OPEN;
    for (; a != enda || b != endb; ++keys, ++to) {
        if (b == endb || (a != enda && !(*b < *a))) { *keys = *a; *to = *x; ++a; ++x; } else { *keys = *b; *to = *y; ++b; ++y; }
    }
    return pair<M, O>(keys, to);
}
template <class I, class G> __LW_BOTH void shuffle(I first, I last, G &&make) { __LW_OPEN; for (ptrdiff_t n = last - first; n > 1; n--) __lw_exchange(first + (n - 1), first + (ptrdiff_t)(make() % n)); }
__LW_POLICY(for_each) __LW_POLICY(for_each_n) __LW_POLICY(transform) __LW_POLICY(transform_if) __LW_POLICY(fill) __LW_POLICY(fill_n)
__LW_POLICY(uninitialized_fill) __LW_POLICY(uninitialized_copy) __LW_POLICY(copy) __LW_POLICY(copy_n) __LW_POLICY(copy_if)
__LW_POLICY(sequence) __LW_POLICY(generate) __LW_POLICY(generate_n) __LW_POLICY(tabulate) __LW_POLICY(reduce) __LW_POLICY(transform_reduce)
__LW_POLICY(inner_product) __LW_POLICY(count) __LW_POLICY(count_if) __LW_POLICY(min_element) __LW_POLICY(max_element)
__LW_POLICY(minmax_element) __LW_POLICY(find) __LW_POLICY(find_if) __LW_POLICY(find_if_not) __LW_POLICY(all_of) __LW_POLICY(any_of)
__LW_POLICY(none_of) __LW_POLICY(equal) __LW_POLICY(mismatch) __LW_POLICY(inclusive_scan) __LW_POLICY(exclusive_scan)
__LW_POLICY(transform_inclusive_scan) __LW_POLICY(transform_exclusive_scan) __LW_POLICY(inclusive_scan_by_key)
__LW_POLICY(exclusive_scan_by_key) __LW_POLICY(reduce_by_key) __LW_POLICY(adjacent_difference) __LW_POLICY(gather) __LW_POLICY(gather_if)
__LW_POLICY(scatter) __LW_POLICY(scatter_if) __LW_POLICY(reverse) __LW_POLICY(reverse_copy) __LW_POLICY(swap_ranges) __LW_POLICY(remove)
__LW_POLICY(remove_if) __LW_POLICY(remove_copy) __LW_POLICY(remove_copy_if) __LW_POLICY(replace) __LW_POLICY(replace_if) __LW_POLICY(unique)
__LW_POLICY(unique_copy) __LW_POLICY(unique_by_key) __LW_POLICY(unique_by_key_copy) __LW_POLICY(is_sorted) __LW_POLICY(stable_sort)
__LW_POLICY(sort) __LW_POLICY(stable_sort_by_key) __LW_POLICY(sort_by_key) __LW_POLICY(stable_partition) __LW_POLICY(partition)
__LW_POLICY(partition_copy) __LW_POLICY(lower_bound) __LW_POLICY(upper_bound) __LW_POLICY(binary_search) __LW_POLICY(merge)
__LW_POLICY(set_union) __LW_POLICY(set_intersection) __LW_POLICY(set_difference) __LW_POLICY(set_symmetric_difference)
__LW_POLICY(merge_by_key) __LW_POLICY(shuffle)
#undef __LW_POLICY
} // namespace thrust
