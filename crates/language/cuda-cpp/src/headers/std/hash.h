// <unordered_map> and <unordered_set>: hash tables that list their elements in GCC's order, with equal keys next to each other.
#include "lanework/std/functional.h"
#include "lanework/std/string.h"
#include "lanework/std/map.h"
namespace std {
// The numbers of buckets.
inline const unsigned __lw_primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83,
    89, 97, 103, 109, 113, 127, 137, 139, 149, 157, 167, 179, 193, 199, 211, 227, 241, 257, 277, 293, 313, 337, 359, 383, 409,
    439, 467, 503, 541, 577, 619, 661, 709, 761, 823, 887, 953, 1031, 1109, 1193, 1289, 1381, 1493, 1613, 1741, 1879, 2029,
    2179, 2357, 2549, 2753, 2971, 3209, 3469, 3739, 4027, 4349, 4703, 5087, 5503, 5953, 6427, 6949, 7517, 8123, 8783, 9497,
    10273, 11113, 12011, 12983, 14033, 15173, 16411, 17749, 19183, 20753, 22447, 24281, 26267, 28411, 30727, 33223, 35933,
    38873, 42043, 45481, 49201, 53201, 57557, 62233, 67307, 72817, 78779, 85229, 92203, 99733, 107897, 116731, 126271, 136607,
    147793, 159871, 172933, 187091, 202409, 218971, 236897, 256279, 277261, 299951, 324503, 351061, 379787, 410857, 444487,
    480881, 520241, 562841, 608903, 658753, 712697, 771049, 834181, 902483, 976369, 1056323, 1142821, 1236397, 1337629,
    1447153, 1565659, 1693859, 1832561, 1982627, 2144977, 2320627, 2510653, 2716249, 2938679, 3179303, 3439651, 3721303,
    4026031, 4355707, 4712381, 5098259, 5515729, 5967347, 6456007, 6984629, 7556579, 8175383, 8844859, 9569143, 10352717,
    11200489, 12117689, 13109983, 14183539, 15345007, 16601593, 17961079, 19431899, 21023161, 22744717, 24607243, 26622317};
inline size_t __lw_buckets_for(size_t n) {
    if (n < 14) {
        const unsigned char few[] = {1, 2, 2, 3, 5, 5, 7, 7, 11, 11, 11, 11, 13, 13};
        return few[n];
    }
    for (unsigned prime : __lw_primes) if (prime >= n) return prime;
    return n | 1;
}
template <class V> struct __lw_link {
    __lw_link *next;
    size_t code;
    V value;
    template <class... A> explicit __lw_link(A &&...a) : next(nullptr), code(0), value(static_cast<A &&>(a)...) {}
};
template <class V, class R> struct __lw_link_iterator {
    typedef V value_type;
    typedef R &reference;
    typedef R *pointer;
    typedef ptrdiff_t difference_type;
    typedef forward_iterator_tag iterator_category;
    __lw_link<V> *node;
    __lw_link_iterator(__lw_link<V> *n = nullptr) : node(n) {}
    template <class Q> __lw_link_iterator(const __lw_link_iterator<V, Q> &o) : node(o.node) {}
    R &operator*() const { return node->value; }
    R *operator->() const { return &node->value; }
    __lw_link_iterator &operator++() { node = node->next; return *this; }
    __lw_link_iterator operator++(int) { __lw_link_iterator old = *this; node = node->next; return old; }
    template <class Q> bool operator==(const __lw_link_iterator<V, Q> &o) const { return node == o.node; }
    template <class Q> bool operator!=(const __lw_link_iterator<V, Q> &o) const { return node != o.node; }
};
template <class K, class V, class G, class H, class E, class R, bool M> struct __lw_table_of {
    typedef __lw_link<V> node_type;
    typedef K key_type;
    typedef V value_type;
    typedef __lw_link_iterator<V, R> iterator;
    typedef __lw_link_iterator<V, const V> const_iterator;
    typedef size_t size_type;
    typedef H hasher_type;
    typedef E key_equal;
    typedef conditional_t<M, iterator, pair<iterator, bool>> added;
    // All elements are in one list. A bucket points to the link to its first element.
    node_type *head;
    node_type ***buckets;
    size_t room, count, limit;
    H hasher;
    E same;
    __lw_table_of() : head(nullptr), buckets(nullptr), room(1), count(0), limit(0), hasher(), same() {}
    explicit __lw_table_of(size_t n) : head(nullptr), buckets(nullptr), room(1), count(0), limit(0), hasher(), same() { reserve(n); }
    __lw_table_of(initializer_list<V> list) : head(nullptr), buckets(nullptr), room(1), count(0), limit(0), hasher(), same() {
        reserve(list.size());
        insert(list.begin(), list.end());
    }
    template <class I> __lw_table_of(I from, I to) : head(nullptr), buckets(nullptr), room(1), count(0), limit(0), hasher(), same() { insert(from, to); }
    __lw_table_of(const __lw_table_of &o) : head(nullptr), buckets(nullptr), room(1), count(0), limit(0), hasher(o.hasher), same(o.same) { __lw_copy(o); }
    __lw_table_of(__lw_table_of &&o) : head(nullptr), buckets(nullptr), room(1), count(0), limit(0), hasher(o.hasher), same(o.same) { swap(o); }
    ~__lw_table_of() { clear(); free(buckets); }
    __lw_table_of &operator=(const __lw_table_of &o) { if (this != &o) { clear(); __lw_copy(o); } return *this; }
    __lw_table_of &operator=(__lw_table_of &&o) { if (this != &o) { clear(); swap(o); } return *this; }
    void __lw_copy(const __lw_table_of &o) {
        __lw_rehash(o.room);
        node_type **last = &head;
        for (node_type *n = o.head; n; n = n->next) {
            node_type *made = new node_type(n->value);
            made->code = n->code;
            *last = made;
            if (!buckets[made->code % room]) buckets[made->code % room] = last;
            last = &made->next;
            count++;
        }
        limit = o.limit;
    }
    void swap(__lw_table_of &o) {
        node_type *h = head; head = o.head; o.head = h;
        node_type ***b = buckets; buckets = o.buckets; o.buckets = b;
        size_t n = room; room = o.room; o.room = n;
        n = count; count = o.count; o.count = n;
        n = limit; limit = o.limit; o.limit = n;
        // The bucket of the first element points to `head`, which has moved.
        if (head) buckets[head->code % room] = &head;
        if (o.head) o.buckets[o.head->code % o.room] = &o.head;
    }
    static const K &__lw_key(const node_type *n) { return G()(n->value); }
    void clear() {
        while (head) { node_type *next = head->next; delete head; head = next; }
        if (buckets) memset((void *)buckets, 0, room * sizeof(node_type **));
        count = 0;
    }
    void __lw_link_in(node_type *n) {
        size_t at = n->code % room;
        if (buckets[at]) {
            n->next = *buckets[at];
            *buckets[at] = n;
        } else {
            n->next = head;
            head = n;
            if (n->next) buckets[n->next->code % room] = &n->next;
            buckets[at] = &head;
        }
    }
    void __lw_rehash(size_t n) {
        free(buckets);
        room = n;
        buckets = (node_type ***)calloc(n, sizeof(node_type **));
        node_type *rest = head;
        head = nullptr;
        node_type *before = nullptr;
        while (rest) {
            node_type *next = rest->next;
            // Neighbors with the same bucket keep their order, so equal keys stay together.
            if (M && before && before->code % room == rest->code % room) __lw_link_after(before, rest);
            else __lw_link_in(rest);
            before = rest;
            rest = next;
        }
    }
    void __lw_link_after(node_type *before, node_type *n) {
        n->next = before->next;
        before->next = n;
        if (n->next && n->next->code % room != n->code % room) buckets[n->next->code % room] = &n->next;
    }
    void rehash(size_t n) { if (n < count) n = count; n = __lw_buckets_for(n); if (n != room || !buckets) __lw_rehash(n); limit = n; }
    void reserve(size_t n) { rehash(n); }
    void __lw_grow() {
        if (count + 1 <= limit && buckets) return;
        size_t least = count + 1;
        if (limit == 0 && least < 11) least = 11;
        if (least >= room) {
            size_t n = __lw_buckets_for(least + 1 > 2 * room ? least + 1 : 2 * room);
            __lw_rehash(n);
        } else if (!buckets) __lw_rehash(room);
        limit = room;
    }
    node_type *__lw_find(const K &key) const {
        if (!buckets) return nullptr;
        size_t code = hasher(key), at = code % room;
        if (!buckets[at]) return nullptr;
        for (node_type *n = *buckets[at]; n && n->code % room == at; n = n->next)
            if (n->code == code && same(__lw_key(n), key)) return n;
        return nullptr;
    }
    // The link to the first element with a key; `nullptr` if there is none.
    node_type **__lw_link_to(const K &key) const {
        node_type *found = __lw_find(key);
        if (!found) return nullptr;
        node_type **link = buckets[found->code % room];
        while (*link != found) link = &(*link)->next;
        return link;
    }
    added __lw_add(node_type *n) {
        if constexpr (M) {
            n->code = hasher(__lw_key(n));
            __lw_grow();
            if (node_type **link = __lw_link_to(__lw_key(n))) {
                // Among few elements, GCC looks for strings without their hash, and inserts behind the one that it finds.
                if (is_same_v<H, hash<string>> && count <= 20) __lw_link_after(*link, n);
                else { n->next = *link; *link = n; }
            }
            else __lw_link_in(n);
            count++;
            return iterator(n);
        } else {
            node_type *found = __lw_find(__lw_key(n));
            if (found) { delete n; return pair<iterator, bool>(iterator(found), false); }
            n->code = hasher(__lw_key(n));
            __lw_grow();
            __lw_link_in(n);
            count++;
            return pair<iterator, bool>(iterator(n), true);
        }
    }
    added insert(const V &v) { return __lw_add(new node_type(v)); }
    added insert(V &&v) { return __lw_add(new node_type(static_cast<V &&>(v))); }
    template <class... A> added emplace(A &&...a) { return __lw_add(new node_type(static_cast<A &&>(a)...)); }
    template <class... A> iterator emplace_hint(const_iterator, A &&...a) {
        if constexpr (M) return emplace(static_cast<A &&>(a)...);
        else return emplace(static_cast<A &&>(a)...).first;
    }
    template <class I> void insert(I from, I to) { for (; from != to; ++from) __lw_add(new node_type(*from)); }
    void insert(initializer_list<V> list) { insert(list.begin(), list.end()); }
    template <class Q> iterator erase(__lw_link_iterator<V, Q> place) {
        node_type *n = place.node, *next = n->next, **before = buckets[n->code % room];
        size_t at = n->code % room;
        while (*before != n) before = &(*before)->next;
        bool first = before == buckets[at], last = !next || next->code % room != at;
        *before = next;
        if (next && last) buckets[next->code % room] = before;
        if (first && last) buckets[at] = nullptr;
        delete n;
        count--;
        return iterator(next);
    }
    size_t erase(const K &key) {
        node_type *n = __lw_find(key);
        if (!n) return 0;
        size_t n_erased = 0;
        iterator at(n);
        do { at = erase(at); n_erased++; } while (M && at.node && same(__lw_key(at.node), key));
        return n_erased;
    }
    template <class Q, class S> iterator erase(__lw_link_iterator<V, Q> from, __lw_link_iterator<V, S> to) {
        while (from.node != to.node) from = erase(from);
        return iterator(from.node);
    }
    // The element after those with the key of an element.
    node_type *__lw_after(node_type *n) const {
        node_type *next = n ? n->next : nullptr;
        while (M && next && next->code == n->code && same(__lw_key(next), __lw_key(n))) next = next->next;
        return next;
    }
    pair<iterator, iterator> equal_range(const K &key) {
        node_type *n = __lw_find(key);
        return pair<iterator, iterator>(iterator(n), iterator(__lw_after(n)));
    }
    pair<const_iterator, const_iterator> equal_range(const K &key) const {
        node_type *n = __lw_find(key);
        return pair<const_iterator, const_iterator>(const_iterator(n), const_iterator(__lw_after(n)));
    }
    iterator begin() { return iterator(head); }
    iterator end() { return iterator(nullptr); }
    const_iterator begin() const { return const_iterator(head); }
    const_iterator end() const { return const_iterator(nullptr); }
    const_iterator cbegin() const { return const_iterator(head); }
    const_iterator cend() const { return const_iterator(nullptr); }
    iterator find(const K &key) { return iterator(__lw_find(key)); }
    const_iterator find(const K &key) const { return const_iterator(__lw_find(key)); }
    size_t size() const { return count; }
    bool empty() const { return count == 0; }
    bool contains(const K &key) const { return __lw_find(key) != nullptr; }
    size_t bucket_count() const { return room; }
    float load_factor() const { return (float)count / room; }
    float max_load_factor() const { return 1; }
    void max_load_factor(float) {}
    H hash_function() const { return hasher; }
    E key_eq() const { return same; }
    size_t bucket(const K &key) const { return hasher(key) % room; }
    size_t bucket_size(size_t at) const {
        size_t n = 0;
        for (node_type *i = buckets && buckets[at] ? *buckets[at] : nullptr; i && i->code % room == at; i = i->next) n++;
        return n;
    }
};
#define __LW_HASHED(NAME, PARAMETERS, K, V, R, G, M)                                                                  \
    template <PARAMETERS, class H = hash<K>, class E = equal_to<K>, class A = int> struct NAME : __lw_table_of<K, V, G, H, E, R, M> { \
        typedef __lw_table_of<K, V, G, H, E, R, M> base;                                                              \
        using base::base;                                                                                             \
        NAME() {}                                                                                                     \
        NAME(size_t n, const H &h, const E &e = E()) { this->hasher = h; this->same = e; this->reserve(n); }          \
        size_t count(const K &key) const {                                                                            \
            auto range = this->equal_range(key);                                                                      \
            size_t n = 0;                                                                                             \
            for (; range.first != range.second; ++range.first) n++;                                                   \
            return n;                                                                                                 \
        }
__LW_HASHED(unordered_multimap, __LW_KEYED, K, pair<const K __LW_COMMA T>, pair<const K __LW_COMMA T>, __lw_first, true) typedef T mapped_type; };
__LW_HASHED(unordered_multiset, class K, K, K, const K, __lw_self, true) };
__LW_HASHED(unordered_map, __LW_KEYED, K, pair<const K __LW_COMMA T>, pair<const K __LW_COMMA T>, __lw_first, false)
        typedef T mapped_type;
        typedef typename base::iterator iterator;
        T &operator[](const K &key) {
            auto *found = this->__lw_find(key);
            if (!found) found = this->__lw_add(new typename base::node_type(key, T())).first.node;
            return found->value.second;
        }
        T &at(const K &key) { auto *found = this->__lw_find(key); if (!found) throw out_of_range("_Map_base::at"); return found->value.second; }
        const T &at(const K &key) const { auto *found = this->__lw_find(key); if (!found) throw out_of_range("_Map_base::at"); return found->value.second; }
        template <class... B> pair<iterator, bool> try_emplace(const K &key, B &&...b) {
            auto *found = this->__lw_find(key);
            if (found) return pair<iterator, bool>(iterator(found), false);
            return this->__lw_add(new typename base::node_type(key, T(static_cast<B &&>(b)...)));
        }
        template <class U> pair<iterator, bool> insert_or_assign(const K &key, U &&value) {
            auto *found = this->__lw_find(key);
            if (!found) return this->__lw_add(new typename base::node_type(key, static_cast<U &&>(value)));
            found->value.second = static_cast<U &&>(value);
            return pair<iterator, bool>(iterator(found), false);
        }
    };
__LW_HASHED(unordered_set, class K, K, K, const K, __lw_self, false) };
} // namespace std
