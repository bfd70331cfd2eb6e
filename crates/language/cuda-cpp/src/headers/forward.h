// Device code: names of the C++ library that only host code can use. Declarations with them are skipped or left incomplete.
#ifndef __LW_FORWARD
#define __LW_FORWARD
#include <type_traits>
namespace std {
#define __LW_ANY(NAME) template <class... T> class NAME;
__LW_ANY(vector) __LW_ANY(list) __LW_ANY(forward_list) __LW_ANY(deque) __LW_ANY(map) __LW_ANY(multimap) __LW_ANY(set)
__LW_ANY(multiset) __LW_ANY(unordered_map) __LW_ANY(unordered_set) __LW_ANY(unordered_multimap) __LW_ANY(unordered_multiset)
__LW_ANY(queue) __LW_ANY(priority_queue) __LW_ANY(stack) __LW_ANY(basic_string) __LW_ANY(basic_ostream) __LW_ANY(function)
__LW_ANY(unique_ptr) __LW_ANY(shared_ptr) __LW_ANY(weak_ptr) __LW_ANY(default_delete) __LW_ANY(lock_guard) __LW_ANY(unique_lock)
__LW_ANY(scoped_lock) __LW_ANY(future) __LW_ANY(promise) __LW_ANY(optional) __LW_ANY(variant) __LW_ANY(initializer_list)
__LW_ANY(uniform_int_distribution) __LW_ANY(uniform_real_distribution) __LW_ANY(normal_distribution) __LW_ANY(valarray)
__LW_ANY(exponential_distribution) __LW_ANY(discrete_distribution) __LW_ANY(istream_iterator) __LW_ANY(allocator)
#undef __LW_ANY
#define __LW_ONE(NAME) class NAME;
__LW_ONE(string) __LW_ONE(wstring) __LW_ONE(string_view) __LW_ONE(ostream) __LW_ONE(istream) __LW_ONE(iostream) __LW_ONE(ofstream)
__LW_ONE(ifstream) __LW_ONE(fstream) __LW_ONE(stringstream) __LW_ONE(ostringstream) __LW_ONE(istringstream) __LW_ONE(thread)
__LW_ONE(mutex) __LW_ONE(recursive_mutex) __LW_ONE(condition_variable) __LW_ONE(random_device) __LW_ONE(mt19937) __LW_ONE(mt19937_64)
__LW_ONE(minstd_rand) __LW_ONE(default_random_engine) __LW_ONE(any) __LW_ONE(streambuf) __LW_ONE(type_index) __LW_ONE(exception_ptr)
__LW_ONE(exception) __LW_ONE(runtime_error) __LW_ONE(logic_error) __LW_ONE(invalid_argument) __LW_ONE(out_of_range) __LW_ONE(bad_alloc)
#undef __LW_ONE
namespace chrono {
template <class... T> class time_point;
template <class... T> class duration;
struct system_clock { class time_point; class duration; };
struct steady_clock { class time_point; class duration; };
struct high_resolution_clock { class time_point; class duration; };
class nanoseconds; class microseconds; class milliseconds; class seconds; class minutes; class hours;
}
}
#endif
