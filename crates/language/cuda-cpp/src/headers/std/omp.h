// OpenMP's functions for one thread: pragmas run serially.
typedef int omp_lock_t;
inline int omp_get_num_procs() { return 1; }
inline int omp_get_max_threads() { return 1; }
inline int omp_get_num_threads() { return 1; }
inline int omp_get_thread_num() { return 0; }
inline int omp_in_parallel() { return 0; }
inline int omp_get_num_devices() { return 0; }
inline int omp_get_dynamic() { return 0; }
inline void omp_set_dynamic(int) {}
inline void omp_set_nested(int) {}
inline void omp_set_num_threads(int) {}
inline void omp_init_lock(omp_lock_t *lock) { *lock = 0; }
inline void omp_destroy_lock(omp_lock_t *) {}
inline void omp_set_lock(omp_lock_t *lock) { *lock = 1; }
inline void omp_unset_lock(omp_lock_t *lock) { *lock = 0; }
inline double omp_get_wtime() { return (double)__lw_elapsed() / 1e9; }
inline double omp_get_wtick() { return 1e-9; }
