// <bitset>.
#include "lanework/std/string.h"
#include "lanework/std/streams.h"
namespace std {
template <size_t N> struct bitset {
    static constexpr size_t WORDS = N / 64 + 1;
    unsigned long words[WORDS];
    struct reference {
        bitset *of;
        size_t at;
        operator bool() const { return of->test(at); }
        bool operator~() const { return !of->test(at); }
        reference &operator=(bool value) { of->set(at, value); return *this; }
        reference &operator=(const reference &o) { of->set(at, (bool)o); return *this; }
        reference &flip() { of->flip(at); return *this; }
    };
    constexpr bitset() : words() {}
    constexpr bitset(unsigned long long value) : words() { words[0] = value; trim(); }
    explicit bitset(const string &text, size_t from = 0, size_t n = (size_t)-1, char zero = '0', char one = '1') : words() { read(text.data(), text.size(), from, n, zero, one); }
    explicit bitset(const char *text, size_t n = (size_t)-1, char zero = '0', char one = '1') : words() { read(text, strlen(text), 0, n, zero, one); }
    void read(const char *text, size_t length, size_t from, size_t n, char zero, char one) {
        if (from > length) throw out_of_range("bitset::bitset: __position (which is " + ::std::to_string(from) + ") > __s.size() (which is " + ::std::to_string(length) + ")");
        if (n > length - from) n = length - from;
        for (size_t i = 0; i < n; i++)
            if (text[from + i] != zero && text[from + i] != one) throw invalid_argument("bitset::_M_copy_from_ptr");
        if (n > N) n = N;
        for (size_t i = 0; i < n; i++)
            if (text[from + n - 1 - i] == one) words[i / 64] |= 1ul << i % 64;
    }
    constexpr void trim() { words[WORDS - 1] &= (1ul << N % 64) - 1; }
    void check(const char *name, size_t at) const {
        if (at >= N) throw out_of_range(string("bitset::") + name + ": __position (which is " + ::std::to_string(at) + ") >= _Nb (which is " + ::std::to_string(N) + ")");
    }
    constexpr bool operator[](size_t at) const { return words[at / 64] >> at % 64 & 1; }
    reference operator[](size_t at) { return reference{this, at}; }
    bool test(size_t at) const { check("test", at); return words[at / 64] >> at % 64 & 1; }
    constexpr size_t size() const { return N; }
    size_t count() const { size_t n = 0; for (unsigned long word : words) n += __builtin_popcountll(word); return n; }
    bool any() const { for (unsigned long word : words) if (word) return true; return false; }
    bool none() const { return !any(); }
    bool all() const { return count() == N; }
    bitset &set() { for (unsigned long &word : words) word = ~0ul; trim(); return *this; }
    bitset &set(size_t at, bool value = true) {
        check("set", at);
        if (value) words[at / 64] |= 1ul << at % 64;
        else words[at / 64] &= ~(1ul << at % 64);
        return *this;
    }
    bitset &reset() { for (unsigned long &word : words) word = 0; return *this; }
    bitset &reset(size_t at) { check("reset", at); return set(at, false); }
    bitset &flip() { for (unsigned long &word : words) word = ~word; trim(); return *this; }
    bitset &flip(size_t at) { check("flip", at); words[at / 64] ^= 1ul << at % 64; return *this; }
    bitset &operator&=(const bitset &o) { for (size_t i = 0; i < WORDS; i++) words[i] &= o.words[i]; return *this; }
    bitset &operator|=(const bitset &o) { for (size_t i = 0; i < WORDS; i++) words[i] |= o.words[i]; return *this; }
    bitset &operator^=(const bitset &o) { for (size_t i = 0; i < WORDS; i++) words[i] ^= o.words[i]; return *this; }
    bitset operator~() const { bitset result(*this); return result.flip(); }
    bitset &operator<<=(size_t n) {
        bitset old(*this);
        reset();
        for (size_t i = n; i < N; i++) if (old[i - n]) words[i / 64] |= 1ul << i % 64;
        return *this;
    }
    bitset &operator>>=(size_t n) {
        bitset old(*this);
        reset();
        for (size_t i = 0; n < N && i < N - n; i++) if (((const bitset &)old)[i + n]) words[i / 64] |= 1ul << i % 64;
        return *this;
    }
    bitset operator<<(size_t n) const { bitset result(*this); return result <<= n; }
    bitset operator>>(size_t n) const { bitset result(*this); return result >>= n; }
    bool operator==(const bitset &o) const { for (size_t i = 0; i < WORDS; i++) if (words[i] != o.words[i]) return false; return true; }
    bool operator!=(const bitset &o) const { return !(*this == o); }
    unsigned long to_ulong() const {
        for (size_t i = 1; i < WORDS; i++) if (words[i]) throw overflow_error("_Base_bitset::_M_do_to_ulong");
        return words[0];
    }
    unsigned long long to_ullong() const { return to_ulong(); }
    string to_string(char zero = '0', char one = '1') const {
        string text(N, zero);
        for (size_t i = 0; i < N; i++) if ((*this)[i]) text[N - 1 - i] = one;
        return text;
    }
};
template <size_t N> inline bitset<N> operator&(const bitset<N> &a, const bitset<N> &b) { bitset<N> result(a); return result &= b; }
template <size_t N> inline bitset<N> operator|(const bitset<N> &a, const bitset<N> &b) { bitset<N> result(a); return result |= b; }
template <size_t N> inline bitset<N> operator^(const bitset<N> &a, const bitset<N> &b) { bitset<N> result(a); return result ^= b; }
template <size_t N> inline ostream &operator<<(ostream &out, const bitset<N> &bits) { return out << bits.to_string('0', '1'); }
template <size_t N> inline istream &operator>>(istream &in, bitset<N> &bits) {
    string text;
    in >> ws;
    while (text.size() < N && (in.peek() == '0' || in.peek() == '1')) text.push_back((char)in.get());
    if (text.empty()) in.setstate(ios::failbit);
    else bits = bitset<N>(text);
    return in;
}
} // namespace std
