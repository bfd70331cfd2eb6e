// Type traits, pairs, arrays and function objects, for device code.
namespace std {
template <class T, T v> struct integral_constant {
    static constexpr T value = v;
    typedef T value_type;
    typedef integral_constant type;
    __device__ constexpr operator T() const { return v; }
    __device__ constexpr T operator()() const { return v; }
};
template <bool v> using bool_constant = integral_constant<bool, v>;
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class A, class B> inline constexpr bool is_same_v = __is_same(A, B);
template <bool c, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool c, class T = void> using enable_if_t = typename enable_if<c, T>::type;
template <bool c, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool c, class A, class B> using conditional_t = typename conditional<c, A, B>::type;
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv { typedef typename remove_const<typename remove_volatile<T>::type>::type type; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_cvref_t = typename remove_cv<typename remove_reference<T>::type>::type;
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T *> { typedef T type; };
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> struct remove_extent { typedef T type; };
template <class T, size_t N> struct remove_extent<T[N]> { typedef T type; };
template <class T> struct add_const { typedef const T type; };
template <class T> struct add_pointer { typedef typename remove_reference<T>::type *type; };
template <class T> struct __lw_decay { typedef typename remove_cv<T>::type type; };
template <class T, size_t N> struct __lw_decay<T[N]> { typedef T *type; };
template <class R, class... A> struct __lw_decay<R(A...)> { typedef typename add_pointer<R(A...)>::type type; };
template <class T> struct decay : __lw_decay<typename remove_reference<T>::type> {};
template <class T> using decay_t = typename decay<T>::type;
template <class...> using void_t = void;
template <class T> struct type_identity { typedef T type; };
template <class T> struct make_unsigned { typedef T type; };
template <> struct make_unsigned<int> { typedef unsigned type; };
template <> struct make_unsigned<long> { typedef unsigned long type; };
template <> struct make_unsigned<long long> { typedef unsigned long long type; };
template <> struct make_unsigned<short> { typedef unsigned short type; };
template <> struct make_unsigned<char> { typedef unsigned char type; };
template <> struct make_unsigned<signed char> { typedef unsigned char type; };
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> struct is_integral : integral_constant<bool, __is_integral(T)> {};
template <class T> inline constexpr bool is_integral_v = __is_integral(T);
template <class T> struct is_floating_point : integral_constant<bool, __is_floating_point(T)> {};
template <class T> inline constexpr bool is_floating_point_v = __is_floating_point(T);
template <class T> struct is_arithmetic : integral_constant<bool, __is_arithmetic(T)> {};
template <class T> inline constexpr bool is_arithmetic_v = __is_arithmetic(T);
template <class T> struct is_signed : integral_constant<bool, __is_signed(T)> {};
template <class T> inline constexpr bool is_signed_v = __is_signed(T);
template <class T> struct is_unsigned : integral_constant<bool, __is_unsigned(T)> {};
template <class T> inline constexpr bool is_unsigned_v = __is_unsigned(T);
template <class T> struct is_pointer : integral_constant<bool, __is_pointer(T)> {};
template <class T> inline constexpr bool is_pointer_v = __is_pointer(T);
template <class T> struct is_array : integral_constant<bool, __is_array(T)> {};
template <class T> inline constexpr bool is_array_v = __is_array(T);
template <class T> struct is_enum : integral_constant<bool, __is_enum(T)> {};
template <class T> inline constexpr bool is_enum_v = __is_enum(T);
template <class T> struct is_class : integral_constant<bool, __is_class(T)> {};
template <class T> inline constexpr bool is_class_v = __is_class(T);
template <class T> struct is_union : integral_constant<bool, __is_union(T)> {};
template <class T> inline constexpr bool is_union_v = __is_union(T);
template <class T> struct is_const : integral_constant<bool, __is_const(T)> {};
template <class T> inline constexpr bool is_const_v = __is_const(T);
template <class T> struct is_void : integral_constant<bool, __is_void(T)> {};
template <class T> inline constexpr bool is_void_v = __is_void(T);
template <class T> struct is_function : integral_constant<bool, __is_function(T)> {};
template <class T> inline constexpr bool is_function_v = __is_function(T);
template <class T> struct is_empty : integral_constant<bool, __is_empty(T)> {};
template <class T> inline constexpr bool is_empty_v = __is_empty(T);
template <class T> struct is_trivially_copyable : integral_constant<bool, __is_trivially_copyable(T)> {};
template <class T> inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class T> struct is_lvalue_reference : integral_constant<bool, __is_lvalue_reference(T)> {};
template <class T> inline constexpr bool is_lvalue_reference_v = __is_lvalue_reference(T);
template <class T> struct is_rvalue_reference : integral_constant<bool, __is_rvalue_reference(T)> {};
template <class T> inline constexpr bool is_rvalue_reference_v = __is_rvalue_reference(T);
template <class T> struct is_reference : integral_constant<bool, __is_reference(T)> {};
template <class T> inline constexpr bool is_reference_v = __is_reference(T);
template <size_t S, bool N> struct __lw_integer_of;
template <> struct __lw_integer_of<1, true> { typedef signed char type; };
template <> struct __lw_integer_of<1, false> { typedef unsigned char type; };
template <> struct __lw_integer_of<2, true> { typedef short type; };
template <> struct __lw_integer_of<2, false> { typedef unsigned short type; };
template <> struct __lw_integer_of<4, true> { typedef int type; };
template <> struct __lw_integer_of<4, false> { typedef unsigned type; };
template <> struct __lw_integer_of<8, true> { typedef long type; };
template <> struct __lw_integer_of<8, false> { typedef unsigned long type; };
template <class E> struct underlying_type : __lw_integer_of<sizeof(E), (static_cast<E>(-1) < static_cast<E>(0))> {};
template <class E> using underlying_type_t = typename underlying_type<E>::type;
template <class T> inline constexpr bool is_member_pointer_v = __is_member_pointer(T);
template <class T> inline constexpr bool is_member_object_pointer_v = __is_member_object_pointer(T);
template <class T> inline constexpr bool is_member_function_pointer_v = __is_member_function_pointer(T);
template <class T> struct is_member_pointer : integral_constant<bool, __is_member_pointer(T)> {};
template <class T> struct is_member_object_pointer : integral_constant<bool, __is_member_object_pointer(T)> {};
template <class T> struct is_member_function_pointer : integral_constant<bool, __is_member_function_pointer(T)> {};
template <class A, class B> struct is_base_of : integral_constant<bool, __is_base_of(A, B)> {};
template <class A, class B> inline constexpr bool is_base_of_v = __is_base_of(A, B);
template <class A, class B> struct is_convertible : integral_constant<bool, __is_convertible(A, B)> {};
template <class A, class B> inline constexpr bool is_convertible_v = __is_convertible(A, B);
template <class T, class... A> inline constexpr bool is_one_of_v = (__is_same(T, A) || ...);
template <class... B> inline constexpr bool conjunction_v = (B::value && ...);
template <class... B> inline constexpr bool disjunction_v = (B::value || ...);
template <class A, class B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
    __device__ constexpr pair() : first(), second() {}
    __device__ constexpr pair(const A &a, const B &b) : first(a), second(b) {}
    template <class C, class D> __device__ constexpr pair(C &&a, D &&b) : first(static_cast<C &&>(a)), second(static_cast<D &&>(b)) {}
    template <class C, class D> __device__ constexpr pair(const pair<C, D> &other) : first(other.first), second(other.second) {}
    template <class C, class D> __device__ constexpr pair(pair<C, D> &&other)
        : first(static_cast<C &&>(other.first)), second(static_cast<D &&>(other.second)) {}
    template <class C, class D> __device__ constexpr pair &operator=(const pair<C, D> &other) {
        first = other.first;
        second = other.second;
        return *this;
    }
    template <class C, class D> __device__ constexpr pair &operator=(pair<C, D> &&other) {
        first = static_cast<C &&>(other.first);
        second = static_cast<D &&>(other.second);
        return *this;
    }
    __device__ constexpr void swap(pair &other) {
        ::std::swap(first, other.first);
        ::std::swap(second, other.second);
    }
};
template <class A, class B> __device__ constexpr pair<typename decay<A>::type, typename decay<B>::type> make_pair(A &&a, B &&b) {
    return pair<typename decay<A>::type, typename decay<B>::type>(static_cast<A &&>(a), static_cast<B &&>(b));
}
template <class A, class B> __device__ constexpr bool operator==(const pair<A, B> &a, const pair<A, B> &b) { return a.first == b.first && a.second == b.second; }
template <class A, class B> __device__ constexpr bool operator!=(const pair<A, B> &a, const pair<A, B> &b) { return !(a == b); }
template <class A, class B> __device__ constexpr bool operator<(const pair<A, B> &a, const pair<A, B> &b) {
    return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}
template <class A, class B> __device__ constexpr bool operator>(const pair<A, B> &a, const pair<A, B> &b) { return b < a; }
template <class A, class B> __device__ constexpr bool operator<=(const pair<A, B> &a, const pair<A, B> &b) { return !(b < a); }
template <class A, class B> __device__ constexpr bool operator>=(const pair<A, B> &a, const pair<A, B> &b) { return !(a < b); }
template <class T, size_t N> struct array {
    typedef T value_type;
    T elements[N];
    __device__ constexpr T &operator[](size_t i) { return elements[i]; }
    __device__ constexpr const T &operator[](size_t i) const { return elements[i]; }
    __device__ constexpr size_t size() const { return N; }
    __device__ constexpr T *data() { return elements; }
    __device__ constexpr const T *data() const { return elements; }
    __device__ constexpr T *begin() { return elements; }
    __device__ constexpr T *end() { return elements + N; }
    __device__ constexpr const T *begin() const { return elements; }
    __device__ constexpr const T *end() const { return elements + N; }
    typedef T *iterator;
    typedef const T *const_iterator;
    typedef size_t size_type;
    __device__ constexpr T &front() { return elements[0]; }
    __device__ constexpr T &back() { return elements[N - 1]; }
    __device__ constexpr const T &front() const { return elements[0]; }
    __device__ constexpr const T &back() const { return elements[N - 1]; }
    __device__ constexpr T &at(size_t i) { return elements[i]; }
    __device__ constexpr const T &at(size_t i) const { return elements[i]; }
    __device__ constexpr bool empty() const { return N == 0; }
    __device__ constexpr const T *cbegin() const { return elements; }
    __device__ constexpr const T *cend() const { return elements + N; }
    __device__ constexpr void fill(const T &value) { for (size_t i = 0; i < N; i++) elements[i] = value; }
};
template <class T, size_t N> __device__ constexpr bool operator==(const array<T, N> &a, const array<T, N> &b) {
    for (size_t i = 0; i < N; i++) if (!(a.elements[i] == b.elements[i])) return false;
    return true;
}
template <class T, size_t N> __device__ constexpr bool operator<(const array<T, N> &a, const array<T, N> &b) {
    for (size_t i = 0; i < N; i++) {
        if (a.elements[i] < b.elements[i]) return true;
        if (b.elements[i] < a.elements[i]) return false;
    }
    return false;
}
template <class T, size_t N> __device__ constexpr bool operator!=(const array<T, N> &a, const array<T, N> &b) { return !(a == b); }
template <class T, T... I> struct integer_sequence { static constexpr size_t size() { return sizeof...(I); } };
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <size_t N, size_t... I> struct __make_sequence { typedef typename __make_sequence<N - 1, N - 1, I...>::type type; };
template <size_t... I> struct __make_sequence<0, I...> { typedef index_sequence<I...> type; };
template <size_t N> using make_index_sequence = typename __make_sequence<N>::type;
template <class... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;
template <class T, class S> struct __lw_sequence_of;
template <class T, size_t... I> struct __lw_sequence_of<T, integer_sequence<size_t, I...>> { typedef integer_sequence<T, (T)I...> type; };
template <class T, T N> using make_integer_sequence = typename __lw_sequence_of<T, make_index_sequence<(size_t)N>>::type;
#define __LW_OPERATION(NAME, R, OP)                                                                                   \
    template <class T = void> struct NAME {                                                                          \
        __device__ constexpr R operator()(const T &a, const T &b) const { return a OP b; }                           \
    };                                                                                                                \
    template <> struct NAME<void> {                                                                                   \
        template <class A, class B> __device__ constexpr auto operator()(const A &a, const B &b) const { return a OP b; } \
    };
__LW_OPERATION(plus, T, +) __LW_OPERATION(minus, T, -) __LW_OPERATION(multiplies, T, *) __LW_OPERATION(divides, T, /)
__LW_OPERATION(modulus, T, %) __LW_OPERATION(less, bool, <) __LW_OPERATION(greater, bool, >)
__LW_OPERATION(less_equal, bool, <=) __LW_OPERATION(greater_equal, bool, >=) __LW_OPERATION(equal_to, bool, ==)
__LW_OPERATION(not_equal_to, bool, !=) __LW_OPERATION(logical_and, bool, &&) __LW_OPERATION(logical_or, bool, ||)
__LW_OPERATION(bit_and, T, &) __LW_OPERATION(bit_or, T, |) __LW_OPERATION(bit_xor, T, ^)
#undef __LW_OPERATION
template <class T = void> struct negate { __device__ constexpr T operator()(const T &a) const { return -a; } };
template <class T = void> struct logical_not { __device__ constexpr bool operator()(const T &a) const { return !a; } };
template <class T> struct make_signed { typedef T type; };
template <> struct make_signed<unsigned> { typedef int type; };
template <> struct make_signed<unsigned long> { typedef long type; };
template <> struct make_signed<unsigned long long> { typedef long long type; };
template <> struct make_signed<unsigned short> { typedef short type; };
template <> struct make_signed<unsigned char> { typedef signed char type; };
template <class T> using make_signed_t = typename make_signed<T>::type;
template <class T> struct add_lvalue_reference { typedef T &type; };
template <class T> struct add_rvalue_reference { typedef T &&type; };
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> using type_identity_t = typename type_identity<T>::type;
template <class T, class U = T> __device__ constexpr T exchange(T &object, U &&value) {
    T old = static_cast<T &&>(object);
    object = static_cast<U &&>(value);
    return old;
}
template <class T> __device__ constexpr const T &as_const(T &value) { return value; }
template <class... T> struct common_type;
template <class A> struct common_type<A> { typedef decay_t<A> type; };
template <class A, class B> struct common_type<A, B> { typedef decay_t<decltype(true ? declval<A>() : declval<B>())> type; };
template <class A, class B, class C, class... D> struct common_type<A, B, C, D...> : common_type<typename common_type<A, B>::type, C, D...> {};
template <class... T> using common_type_t = typename common_type<T...>::type;
template <class... B> struct conjunction : bool_constant<(B::value && ...)> {};
template <class... B> struct disjunction : bool_constant<(B::value || ...)> {};
template <class B> struct negation : bool_constant<!B::value> {};
template <class T> struct is_trivial : integral_constant<bool, __is_trivially_copyable(T)> {};
template <class T> struct is_pod : integral_constant<bool, __is_trivially_copyable(T)> {};
template <class T> struct is_standard_layout : integral_constant<bool, __is_trivially_copyable(T)> {};
template <class F> struct result_of;
template <class F, class... A> struct result_of<F(A...)> { typedef decltype(declval<F>()(declval<A>()...)) type; };
template <class F> using result_of_t = typename result_of<F>::type;
template <class F, class... A> struct invoke_result { typedef decltype(declval<F>()(declval<A>()...)) type; };
template <class V, class T, class... A> struct __lw_constructible : false_type {};
template <class T, class... A> struct __lw_constructible<void_t<decltype(T(declval<A>()...))>, T, A...> : true_type {};
template <class T, class... A> struct is_constructible : __lw_constructible<void, T, A...> {};
template <class T, class... A> inline constexpr bool is_constructible_v = is_constructible<T, A...>::value;
template <class T> struct is_default_constructible : is_constructible<T> {};
template <class T> inline constexpr bool is_default_constructible_v = is_constructible<T>::value;
template <class V, class T, class U> struct __lw_assignable : false_type {};
template <class T, class U> struct __lw_assignable<void_t<decltype(declval<T>() = declval<U>())>, T, U> : true_type {};
template <class T, class U> struct is_assignable : __lw_assignable<void, T, U> {};
template <class T> struct is_fundamental : bool_constant<__is_arithmetic(T) || __is_void(T)> {};
template <class T> struct is_trivially_destructible : bool_constant<__is_trivially_copyable(T)> {};
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T> struct rank : integral_constant<size_t, 0> {};
template <class T, size_t N> struct rank<T[N]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T, unsigned I = 0> struct extent : integral_constant<size_t, 0> {};
template <class T, size_t N> struct extent<T[N], 0> : integral_constant<size_t, N> {};
template <class T, size_t N, unsigned I> struct extent<T[N], I> : extent<T, I - 1> {};
template <class T, unsigned I = 0> inline constexpr size_t extent_v = extent<T, I>::value;
template <class T> inline constexpr size_t rank_v = rank<T>::value;
template <class T> inline constexpr size_t alignment_of_v = alignment_of<T>::value;
template <class T> inline constexpr bool is_fundamental_v = is_fundamental<T>::value;
template <class T> inline constexpr bool is_trivially_destructible_v = is_trivially_destructible<T>::value;
template <class T, class U> inline constexpr bool is_assignable_v = is_assignable<T, U>::value;
template <class B> inline constexpr bool negation_v = !B::value;
template <class V, class F, class... A> struct __lw_invocable : false_type {};
template <class F, class... A> struct __lw_invocable<void_t<decltype(declval<F>()(declval<A>()...))>, F, A...> : true_type {};
template <class F, class... A> struct is_invocable : __lw_invocable<void, F, A...> {};
template <class F, class... A> inline constexpr bool is_invocable_v = is_invocable<F, A...>::value;
template <size_t SIZE, size_t ALIGN = 16> struct aligned_storage { struct type { alignas(ALIGN) unsigned char data[SIZE]; }; };
template <size_t SIZE, size_t ALIGN = 16> using aligned_storage_t = typename aligned_storage<SIZE, ALIGN>::type;
template <class F, class... A> using invoke_result_t = decltype(declval<F>()(declval<A>()...));
template <class T> struct tuple_size;
template <class T, size_t N> struct tuple_size<array<T, N>> : integral_constant<size_t, N> {};
template <class A, class B> struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
template <size_t I, class T, size_t N> __device__ constexpr T &get(array<T, N> &list) { return list.elements[I]; }
template <size_t I, class T, size_t N> __device__ constexpr const T &get(const array<T, N> &list) { return list.elements[I]; }
template <size_t I, class A, class B> __device__ constexpr auto &get(pair<A, B> &p) {
    if constexpr (I == 0) return p.first;
    else return p.second;
}
template <size_t I, class A, class B> __device__ constexpr const auto &get(const pair<A, B> &p) {
    if constexpr (I == 0) return p.first;
    else return p.second;
}
} // namespace std
