// <map> and <set>: a balanced search tree, whose nodes have random priorities.
#include "lanework/std/functional.h"
namespace std {
template <class V> struct __lw_node {
    __lw_node *left, *right, *up;
    unsigned priority;
    V value;
    template <class... A> explicit __lw_node(A &&...a) : left(nullptr), right(nullptr), up(nullptr), priority(0), value(static_cast<A &&>(a)...) {}
};
template <class N> inline N *__lw_least(N *n) { while (n && n->left) n = n->left; return n; }
template <class N> inline N *__lw_greatest(N *n) { while (n && n->right) n = n->right; return n; }
template <class N> inline N *__lw_after(N *n) {
    if (n->right) return __lw_least(n->right);
    while (n->up && n->up->right == n) n = n->up;
    return n->up;
}
template <class N> inline N *__lw_before(N *n) {
    if (n->left) return __lw_greatest(n->left);
    while (n->up && n->up->left == n) n = n->up;
    return n->up;
}
template <class V, class R> struct __lw_tree_iterator {
    typedef V value_type;
    typedef R &reference;
    typedef R *pointer;
    typedef ptrdiff_t difference_type;
    typedef bidirectional_iterator_tag iterator_category;
    __lw_node<V> *node, **root;
    __lw_tree_iterator() : node(nullptr), root(nullptr) {}
    __lw_tree_iterator(__lw_node<V> *n, __lw_node<V> **r) : node(n), root(r) {}
    template <class Q> __lw_tree_iterator(const __lw_tree_iterator<V, Q> &o) : node(o.node), root(o.root) {}
    R &operator*() const { return node->value; }
    R *operator->() const { return &node->value; }
    __lw_tree_iterator &operator++() { node = __lw_after(node); return *this; }
    __lw_tree_iterator &operator--() { node = node ? __lw_before(node) : __lw_greatest(*root); return *this; }
    __lw_tree_iterator operator++(int) { __lw_tree_iterator old = *this; ++*this; return old; }
    __lw_tree_iterator operator--(int) { __lw_tree_iterator old = *this; --*this; return old; }
    template <class Q> bool operator==(const __lw_tree_iterator<V, Q> &o) const { return node == o.node; }
    template <class Q> bool operator!=(const __lw_tree_iterator<V, Q> &o) const { return node != o.node; }
};
struct __lw_first { template <class V> const auto &operator()(const V &v) const { return v.first; } };
struct __lw_self { template <class V> const V &operator()(const V &v) const { return v; } };
// A tree of values `V` with keys `K`, which `G` takes from a value. `Many` allows equal keys.
template <class K, class V, class G, class L, bool Many, class R> struct __lw_tree {
    typedef __lw_node<V> node_type;
    typedef K key_type;
    typedef V value_type;
    typedef __lw_tree_iterator<V, R> iterator;
    typedef __lw_tree_iterator<V, const V> const_iterator;
    typedef std::reverse_iterator<iterator> reverse_iterator;
    typedef size_t size_type;
    node_type *root;
    size_t count;
    unsigned seed;
    L less;
    __lw_tree() : root(nullptr), count(0), seed(2463534242u), less() {}
    explicit __lw_tree(const L &l) : root(nullptr), count(0), seed(2463534242u), less(l) {}
    __lw_tree(initializer_list<V> list) : root(nullptr), count(0), seed(2463534242u), less() { insert(list.begin(), list.end()); }
    template <class I> __lw_tree(I from, I to) : root(nullptr), count(0), seed(2463534242u), less() { insert(from, to); }
    __lw_tree(const __lw_tree &o) : root(nullptr), count(0), seed(2463534242u), less(o.less) { insert(o.begin(), o.end()); }
    __lw_tree(__lw_tree &&o) : root(o.root), count(o.count), seed(o.seed), less(o.less) { o.root = nullptr; o.count = 0; }
    ~__lw_tree() { clear(); }
    __lw_tree &operator=(const __lw_tree &o) { if (this != &o) { clear(); insert(o.begin(), o.end()); } return *this; }
    __lw_tree &operator=(__lw_tree &&o) { if (this != &o) { clear(); swap(o); } return *this; }
    void swap(__lw_tree &o) {
        node_type *r = root; root = o.root; o.root = r;
        size_t n = count; count = o.count; o.count = n;
    }
    static const K &__lw_key(const node_type *n) { return G()(n->value); }
    void __lw_drop(node_type *n) {
        while (n) {
            __lw_drop(n->right);
            node_type *left = n->left;
            delete n;
            n = left;
        }
    }
    void clear() { __lw_drop(root); root = nullptr; count = 0; }
    void __lw_replace(node_type *old, node_type *now) {
        if (now) now->up = old->up;
        if (!old->up) root = now;
        else if (old->up->left == old) old->up->left = now;
        else old->up->right = now;
    }
    // Moves a child above its parent.
    void __lw_lift(node_type *child) {
        node_type *parent = child->up;
        __lw_replace(parent, child);
        if (parent->left == child) {
            parent->left = child->right;
            if (parent->left) parent->left->up = parent;
            child->right = parent;
        } else {
            parent->right = child->left;
            if (parent->right) parent->right->up = parent;
            child->left = parent;
        }
        parent->up = child;
    }
    // Adds a node, or deletes it if its key is there already.
    pair<iterator, bool> __lw_add(node_type *n) {
        node_type *parent = nullptr, *at = root;
        bool left = false;
        const K &key = __lw_key(n);
        while (at) {
            parent = at;
            left = less(key, __lw_key(at));
            if (!Many && !left && !less(__lw_key(at), key)) {
                delete n;
                return pair<iterator, bool>(iterator(at, &root), false);
            }
            at = left ? at->left : at->right;
        }
        seed ^= seed << 13; seed ^= seed >> 17; seed ^= seed << 5;
        n->priority = seed;
        n->up = parent;
        if (!parent) root = n;
        else if (left) parent->left = n;
        else parent->right = n;
        while (n->up && n->up->priority < n->priority) __lw_lift(n);
        count++;
        return pair<iterator, bool>(iterator(n, &root), true);
    }
    auto __lw_result(const pair<iterator, bool> &p) {
        if constexpr (Many) return p.first;
        else return p;
    }
    auto insert(const V &v) { return __lw_result(__lw_add(new node_type(v))); }
    auto insert(V &&v) { return __lw_result(__lw_add(new node_type(static_cast<V &&>(v)))); }
    template <class... A> auto emplace(A &&...a) { return __lw_result(__lw_add(new node_type(static_cast<A &&>(a)...))); }
    template <class I> void insert(I from, I to) { for (; from != to; ++from) __lw_add(new node_type(*from)); }
    void insert(initializer_list<V> list) { insert(list.begin(), list.end()); }
    iterator insert(const_iterator, const V &v) { return __lw_add(new node_type(v)).first; }
    template <class Q> iterator erase(__lw_tree_iterator<V, Q> place) {
        node_type *n = place.node, *after = __lw_after(n);
        while (n->left && n->right) __lw_lift(n->left->priority > n->right->priority ? n->left : n->right);
        __lw_replace(n, n->left ? n->left : n->right);
        delete n;
        count--;
        return iterator(after, &root);
    }
    size_t erase(const K &key) {
        size_t n = 0;
        for (iterator at = lower_bound(key); at.node && !less(key, __lw_key(at.node)); n++) at = erase(at);
        return n;
    }
    iterator erase(iterator from, iterator to) { while (from != to) from = erase(from); return to; }
    node_type *__lw_lower(const K &key) const {
        node_type *found = nullptr;
        for (node_type *at = root; at;) {
            if (less(__lw_key(at), key)) at = at->right;
            else { found = at; at = at->left; }
        }
        return found;
    }
    node_type *__lw_upper(const K &key) const {
        node_type *found = nullptr;
        for (node_type *at = root; at;) {
            if (less(key, __lw_key(at))) { found = at; at = at->left; }
            else at = at->right;
        }
        return found;
    }
    node_type *__lw_find(const K &key) const { node_type *n = __lw_lower(key); return n && !less(key, __lw_key(n)) ? n : nullptr; }
    iterator __lw_at(node_type *n) { return iterator(n, &root); }
    const_iterator __lw_at(node_type *n) const { return const_iterator(n, (node_type **)&root); }
    iterator begin() { return __lw_at(__lw_least(root)); }
    iterator end() { return __lw_at(nullptr); }
    const_iterator begin() const { return __lw_at(__lw_least(root)); }
    const_iterator end() const { return __lw_at(nullptr); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    reverse_iterator rbegin() { return reverse_iterator(end()); }
    reverse_iterator rend() { return reverse_iterator(begin()); }
    iterator find(const K &key) { return __lw_at(__lw_find(key)); }
    const_iterator find(const K &key) const { return __lw_at(__lw_find(key)); }
    iterator lower_bound(const K &key) { return __lw_at(__lw_lower(key)); }
    iterator upper_bound(const K &key) { return __lw_at(__lw_upper(key)); }
    const_iterator lower_bound(const K &key) const { return __lw_at(__lw_lower(key)); }
    const_iterator upper_bound(const K &key) const { return __lw_at(__lw_upper(key)); }
    pair<iterator, iterator> equal_range(const K &key) { return pair<iterator, iterator>(lower_bound(key), upper_bound(key)); }
    size_t size() const { return count; }
    bool empty() const { return count == 0; }
    bool contains(const K &key) const { return __lw_find(key) != nullptr; }
    size_t count_of(const K &key) const {
        size_t n = 0;
        for (node_type *at = __lw_lower(key); at && !less(key, __lw_key(at)); at = __lw_after(at)) n++;
        return n;
    }
};
#define __LW_TREE(NAME, PARAMETERS, ARGUMENTS, K, V, R, G, MANY)                                                      \
    template <PARAMETERS, class L = less<K>, class A = int> struct NAME : __lw_tree<K, V, G, L, MANY, R> {            \
        typedef __lw_tree<K, V, G, L, MANY, R> base;                                                                  \
        using base::base;                                                                                             \
        NAME() {}                                                                                                     \
        size_t count(const K &key) const { return this->count_of(key); }
#define __LW_COMMA ,
#define __LW_KEYED class K __LW_COMMA class T
__LW_TREE(map, __LW_KEYED, , K, pair<const K __LW_COMMA T>, pair<const K __LW_COMMA T>, __lw_first, false)
        typedef T mapped_type;
        typedef typename base::iterator iterator;
        T &operator[](const K &key) {
            auto *found = this->__lw_find(key);
            if (!found) found = this->__lw_add(new typename base::node_type(key, T())).first.node;
            return found->value.second;
        }
        T &at(const K &key) { auto *found = this->__lw_find(key); if (!found) throw out_of_range("map::at"); return found->value.second; }
        const T &at(const K &key) const { auto *found = this->__lw_find(key); if (!found) throw out_of_range("map::at"); return found->value.second; }
        template <class... B> pair<iterator, bool> try_emplace(const K &key, B &&...b) {
            auto *found = this->__lw_find(key);
            if (found) return pair<iterator, bool>(this->__lw_at(found), false);
            return this->__lw_add(new typename base::node_type(key, T(static_cast<B &&>(b)...)));
        }
        template <class U> pair<iterator, bool> insert_or_assign(const K &key, U &&value) {
            auto *found = this->__lw_find(key);
            if (!found) return this->__lw_add(new typename base::node_type(key, static_cast<U &&>(value)));
            found->value.second = static_cast<U &&>(value);
            return pair<iterator, bool>(this->__lw_at(found), false);
        }
    };
__LW_TREE(multimap, __LW_KEYED, , K, pair<const K __LW_COMMA T>, pair<const K __LW_COMMA T>, __lw_first, true) typedef T mapped_type; };
__LW_TREE(set, class K, , K, K, const K, __lw_self, false) };
__LW_TREE(multiset, class K, , K, K, const K, __lw_self, true) };
template <class K, class V, class G, class L, bool M, class R> inline bool operator==(const __lw_tree<K, V, G, L, M, R> &a, const __lw_tree<K, V, G, L, M, R> &b) {
    if (a.count != b.count) return false;
    auto at = b.begin();
    for (const V &v : a) { if (!(v == *at)) return false; ++at; }
    return true;
}
} // namespace std
