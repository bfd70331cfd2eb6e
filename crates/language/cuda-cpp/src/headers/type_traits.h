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
template <class T> struct decay { typedef typename remove_cv<typename remove_reference<T>::type>::type type; };
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
};
template <class A, class B> __device__ constexpr pair<A, B> make_pair(A a, B b) { return pair<A, B>{a, b}; }
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
};
template <class T, T... I> struct integer_sequence { static constexpr size_t size() { return sizeof...(I); } };
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <size_t N, size_t... I> struct __make_sequence { typedef typename __make_sequence<N - 1, N - 1, I...>::type type; };
template <size_t... I> struct __make_sequence<0, I...> { typedef index_sequence<I...> type; };
template <size_t N> using make_index_sequence = typename __make_sequence<N>::type;
template <class T = void> struct plus { __device__ constexpr T operator()(const T &a, const T &b) const { return a + b; } };
template <class T = void> struct minus { __device__ constexpr T operator()(const T &a, const T &b) const { return a - b; } };
template <class T = void> struct multiplies { __device__ constexpr T operator()(const T &a, const T &b) const { return a * b; } };
template <class T = void> struct less { __device__ constexpr bool operator()(const T &a, const T &b) const { return a < b; } };
template <class T = void> struct greater { __device__ constexpr bool operator()(const T &a, const T &b) const { return b < a; } };
} // namespace std
