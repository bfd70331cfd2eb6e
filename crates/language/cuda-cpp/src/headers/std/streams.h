// <iostream>, <iomanip>, <sstream> and <fstream>.
#include "lanework/std/string.h"
namespace std {
typedef long streamsize;
typedef long streamoff;
typedef streamoff streampos;
struct istream;
struct ostream;
// What a stream reads or writes.
struct streambuf {
    FILE *file;
    string *buffer;
    istream *in;
};
struct ios_base {
    typedef unsigned fmtflags;
    typedef unsigned openmode;
    typedef unsigned iostate;
    typedef unsigned seekdir;
    static constexpr unsigned boolalpha = 1, dec = 2, fixed = 4, hex = 8, internal = 16, left = 32, oct = 64, right = 128,
        scientific = 256, showbase = 512, showpoint = 1024, showpos = 2048, skipws = 4096, uppercase = 16384,
        floatfield = 260, basefield = 74, adjustfield = 176;
    static constexpr unsigned app = 1, ate = 2, binary = 4, in = 8, out = 16, trunc = 32;
    static constexpr unsigned goodbit = 0, badbit = 1, eofbit = 2, failbit = 4;
    static constexpr unsigned beg = 0, cur = 1, end = 2;
    unsigned own_format, own_state;
    // A stream for input and output has one format and one state.
    unsigned &format, &state;
    int digits, room;
    char filler;
    explicit ios_base(ios_base *shared = nullptr)
        : own_format(dec | skipws), own_state(0), format(shared ? shared->own_format : own_format),
          state(shared ? shared->own_state : own_state), digits(6), room(0), filler(' ') {}
    unsigned flags() const { return format; }
    unsigned flags(unsigned f) { unsigned old = format; format = f; return old; }
    unsigned setf(unsigned f) { unsigned old = format; format |= f; return old; }
    unsigned setf(unsigned f, unsigned mask) { unsigned old = format; format = (format & ~mask) | (f & mask); return old; }
    void unsetf(unsigned f) { format &= ~f; }
    int precision() const { return digits; }
    int precision(int n) { int old = digits; digits = n; return old; }
    int width() const { return room; }
    int width(int n) { int old = room; room = n; return old; }
    char fill() const { return filler; }
    char fill(char c) { char old = filler; filler = c; return old; }
    bool good() const { return state == 0; }
    bool eof() const { return state & eofbit; }
    bool fail() const { return state & (failbit | badbit); }
    bool bad() const { return state & badbit; }
    unsigned rdstate() const { return state; }
    void clear(unsigned s = 0) { state = s; }
    void setstate(unsigned s) { state |= s; }
    explicit operator bool() const { return !fail(); }
    bool operator!() const { return fail(); }
    static bool sync_with_stdio(bool = true) { return true; }
    // Output is never delayed, so no stream needs another one.
    ostream *tie(ostream * = nullptr) { return nullptr; }
    void copyfmt(const ios_base &o) { format = o.format; digits = o.digits; room = o.room; filler = o.filler; }
};
typedef ios_base ios;
struct ostream : ios_base {
    FILE *file;
    string *buffer;
    streambuf own, *other;
    ostream(FILE *f, string *b, ios_base *shared = nullptr) : ios_base(shared), file(f), buffer(b), own(), other(nullptr) {}
    streambuf *rdbuf() {
        if (other) return other;
        own = streambuf{file, buffer, nullptr};
        return &own;
    }
    streambuf *rdbuf(streambuf *next) {
        streambuf *old = rdbuf();
        other = next == &own ? nullptr : next;
        file = next ? next->file : nullptr;
        buffer = next ? next->buffer : nullptr;
        state = next ? 0 : badbit;
        return old;
    }
    void __lw_put(const char *text, size_t n) {
        if (n == 0) return;
        if (buffer) buffer->append(text, n);
        else if (file) { if (!__lw_write(file, text, n)) state |= badbit; }
        else state |= badbit;
    }
    // Writes a text with the width and fill of the stream. `sign` is the length of a sign or prefix.
    void __lw_padded(const char *text, size_t n, size_t sign = 0) {
        size_t pad = room > 0 && (size_t)room > n ? room - n : 0;
        room = 0;
        unsigned side = format & adjustfield;
        if (pad && side == internal) { __lw_put(text, sign); text += sign; n -= sign; }
        if (side != left) for (size_t i = 0; i < pad; i++) __lw_put(&filler, 1);
        __lw_put(text, n);
        if (side == left) for (size_t i = 0; i < pad; i++) __lw_put(&filler, 1);
    }
    void __lw_integer(unsigned long bits, bool negative) {
        char text[80], *end = text + 80, *at = end;
        unsigned base = format & hex ? 16 : format & oct ? 8 : 10;
        const char *digits = format & uppercase ? "0123456789ABCDEF" : "0123456789abcdef";
        bool zero = bits == 0;
        do *--at = digits[bits % base]; while ((bits /= base) != 0);
        char *number = at;
        if (format & showbase && !zero) {
            if (base == 16) { *--at = format & uppercase ? 'X' : 'x'; *--at = '0'; }
            else if (base == 8) *--at = '0';
        }
        if (negative) *--at = '-';
        else if (format & showpos && base == 10) *--at = '+';
        __lw_padded(at, end - at, number - at);
    }
    void __lw_signed(long v, unsigned long mask) {
        if (format & (hex | oct)) __lw_integer((unsigned long)v & mask, false);
        else __lw_integer(v < 0 ? 0ul - (unsigned long)v : (unsigned long)v, v < 0);
    }
    void __lw_real(double v) {
        char how[12], *at = how, text[500];
        *at++ = '%';
        if (format & showpos) *at++ = '+';
        if (format & showpoint) *at++ = '#';
        *at++ = '.'; *at++ = '*';
        unsigned kind = format & floatfield;
        bool upper = format & uppercase;
        if (kind == floatfield) at -= 2;
        *at++ = kind == floatfield ? (upper ? 'A' : 'a') : kind == fixed ? (upper ? 'F' : 'f') : kind == scientific ? (upper ? 'E' : 'e') : upper ? 'G' : 'g';
        *at = 0;
        int n = kind == floatfield ? snprintf(text, 500, how, v) : snprintf(text, 500, how, kind == 0 && digits == 0 ? 1 : digits, v);
        __lw_padded(text, n, text[0] == '-' || text[0] == '+' ? 1 : 0);
    }
    ostream &write(const char *text, long n) { __lw_put(text, n); return *this; }
    ostream &put(char c) { __lw_put(&c, 1); return *this; }
    ostream &flush() { if (file) fflush(file); return *this; }
    ostream &operator<<(bool v) {
        if (format & boolalpha) __lw_padded(v ? "true" : "false", v ? 4 : 5);
        else __lw_integer(v, false);
        return *this;
    }
    ostream &operator<<(short v) { __lw_signed(v, 0xffff); return *this; }
    ostream &operator<<(int v) { __lw_signed(v, 0xffffffff); return *this; }
    ostream &operator<<(long v) { __lw_signed(v, ~0ul); return *this; }
    ostream &operator<<(long long v) { __lw_signed(v, ~0ul); return *this; }
    ostream &operator<<(unsigned short v) { __lw_integer(v, false); return *this; }
    ostream &operator<<(unsigned v) { __lw_integer(v, false); return *this; }
    ostream &operator<<(unsigned long v) { __lw_integer(v, false); return *this; }
    ostream &operator<<(unsigned long long v) { __lw_integer(v, false); return *this; }
    ostream &operator<<(float v) { __lw_real(v); return *this; }
    ostream &operator<<(double v) { __lw_real(v); return *this; }
    ostream &operator<<(long double v) { __lw_real((double)v); return *this; }
    ostream &operator<<(const void *v) {
        char text[40];
        if (!v) __lw_padded("0", 1);
        else __lw_padded(text, snprintf(text, 40, "%p", v));
        return *this;
    }
    ostream &operator<<(ostream &(*change)(ostream &)) { return change(*this); }
    ostream &operator<<(ios_base &(*change)(ios_base &)) { change(*this); return *this; }
};
inline ostream &operator<<(ostream &out, const char *text) {
    if (text) out.__lw_padded(text, strlen(text));
    else out.setstate(ios_base::badbit);
    return out;
}
inline ostream &operator<<(ostream &out, char c) { out.__lw_padded(&c, 1); return out; }
inline ostream &operator<<(ostream &out, signed char c) { return out << (char)c; }
inline ostream &operator<<(ostream &out, unsigned char c) { return out << (char)c; }
inline ostream &operator<<(ostream &out, const string &s) { out.__lw_padded(s.text, s.count); return out; }
inline ostream &operator<<(ostream &out, string_view s) { out.__lw_padded(s.text, s.count); return out; }
// Output to a temporary stream: `ofstream(name) << text`.
template <class T> inline ostream &operator<<(ostream &&out, const T &v) { ostream &named = out; return named << v; }
inline ostream cout{stdout, nullptr};
inline ostream cerr{stderr, nullptr};
inline ostream clog{stderr, nullptr};
inline ostream &endl(ostream &out) { out.put('\n'); return out.flush(); }
inline ostream &flush(ostream &out) { return out.flush(); }
inline ostream &ends(ostream &out) { return out.put(0); }
inline ios_base &fixed(ios_base &s) { s.setf(4, 260); return s; }
inline ios_base &scientific(ios_base &s) { s.setf(256, 260); return s; }
inline ios_base &hexfloat(ios_base &s) { s.setf(260, 260); return s; }
inline ios_base &defaultfloat(ios_base &s) { s.unsetf(260); return s; }
inline ios_base &hex(ios_base &s) { s.setf(8, 74); return s; }
inline ios_base &oct(ios_base &s) { s.setf(64, 74); return s; }
inline ios_base &dec(ios_base &s) { s.setf(2, 74); return s; }
inline ios_base &left(ios_base &s) { s.setf(32, 176); return s; }
inline ios_base &right(ios_base &s) { s.setf(128, 176); return s; }
inline ios_base &internal(ios_base &s) { s.setf(16, 176); return s; }
inline ios_base &boolalpha(ios_base &s) { s.setf(1); return s; }
inline ios_base &noboolalpha(ios_base &s) { s.unsetf(1); return s; }
inline ios_base &showpos(ios_base &s) { s.setf(2048); return s; }
inline ios_base &noshowpos(ios_base &s) { s.unsetf(2048); return s; }
inline ios_base &showbase(ios_base &s) { s.setf(512); return s; }
inline ios_base &noshowbase(ios_base &s) { s.unsetf(512); return s; }
inline ios_base &showpoint(ios_base &s) { s.setf(1024); return s; }
inline ios_base &noshowpoint(ios_base &s) { s.unsetf(1024); return s; }
inline ios_base &unitbuf(ios_base &s) { return s; }
inline ios_base &nounitbuf(ios_base &s) { return s; }
inline ios_base &uppercase(ios_base &s) { s.setf(16384); return s; }
inline ios_base &nouppercase(ios_base &s) { s.unsetf(16384); return s; }
inline ios_base &skipws(ios_base &s) { s.setf(4096); return s; }
inline ios_base &noskipws(ios_base &s) { s.unsetf(4096); return s; }
struct __lw_width { int n; };
struct __lw_precision { int n; };
struct __lw_fill { char c; };
struct __lw_base_setting { int n; };
inline __lw_width setw(int n) { return __lw_width{n}; }
inline __lw_precision setprecision(int n) { return __lw_precision{n}; }
inline __lw_fill setfill(char c) { return __lw_fill{c}; }
inline __lw_base_setting setbase(int n) { return __lw_base_setting{n}; }
inline ostream &operator<<(ostream &out, __lw_width w) { out.width(w.n); return out; }
inline ostream &operator<<(ostream &out, __lw_precision p) { out.precision(p.n); return out; }
inline ostream &operator<<(ostream &out, __lw_fill f) { out.fill(f.c); return out; }
inline ostream &operator<<(ostream &out, __lw_base_setting b) { out.setf(b.n == 16 ? 8u : b.n == 8 ? 64u : 2u, 74); return out; }
struct __lw_flags { unsigned set, clear; };
inline __lw_flags setiosflags(unsigned f) { return __lw_flags{f, 0}; }
inline __lw_flags resetiosflags(unsigned f) { return __lw_flags{0, f}; }
inline ostream &operator<<(ostream &out, __lw_flags f) { out.unsetf(f.clear); out.setf(f.set); return out; }
// A quoted string; input goes to the string `to`.
struct __lw_quoted {
    string text;
    string *to;
    char quote, escape;
};
inline __lw_quoted quoted(const string &text, char quote = '"', char escape = '\\') { return __lw_quoted{text, nullptr, quote, escape}; }
inline __lw_quoted quoted(string &text, char quote = '"', char escape = '\\') { return __lw_quoted{text, &text, quote, escape}; }
inline __lw_quoted quoted(const char *text, char quote = '"', char escape = '\\') { return __lw_quoted{string(text), nullptr, quote, escape}; }
inline ostream &operator<<(ostream &out, const __lw_quoted &q) {
    string made(1, q.quote);
    for (char c : q.text) {
        if (c == q.quote || c == q.escape) made.push_back(q.escape);
        made.push_back(c);
    }
    made.push_back(q.quote);
    return out << made;
}
struct istream : ios_base {
    FILE *file;
    string *buffer;
    size_t at;
    long taken;
    streambuf own, *other;
    istream(FILE *f, string *b, ios_base *shared = nullptr) : ios_base(shared), file(f), buffer(b), at(0), taken(0), own(), other(nullptr) {}
    streambuf *rdbuf() {
        if (other) return other;
        own = streambuf{file, buffer, this};
        return &own;
    }
    streambuf *rdbuf(streambuf *next) {
        streambuf *old = rdbuf();
        other = next == &own ? nullptr : next;
        file = next ? next->file : nullptr;
        buffer = next ? next->buffer : nullptr;
        at = other && next->in ? next->in->at : 0;
        state = next ? 0 : badbit;
        return old;
    }
    int __lw_next() {
        if (buffer) return at < buffer->count ? (unsigned char)buffer->text[at++] : -1;
        return file ? fgetc(file) : -1;
    }
    void __lw_back(int c) {
        if (c < 0) return;
        if (buffer) at--;
        else ungetc(c, file);
    }
    // The next character of a value, or -1 at the end.
    int __lw_skip() {
        if (state) { state |= failbit; return -1; }
        int c = __lw_next();
        while (format & skipws && isspace(c)) c = __lw_next();
        if (c < 0) state |= eofbit | failbit;
        return c;
    }
    // Reads an integer in the stream's base; one that does not fit becomes the nearest representable one.
    template <class T> istream &__lw_integer(T &v) {
        int c = __lw_skip();
        if (c < 0) return *this;
        unsigned field = format & basefield, base = field == hex ? 16 : field == oct ? 8 : field == dec ? 10 : 0;
        bool negative = c == '-', found = false, over = false;
        if (c == '-' || c == '+') c = __lw_next();
        if (c == '0' && base != 10) {
            found = true;
            c = __lw_next();
            if ((c == 'x' || c == 'X') && base != 8) { base = 16; found = false; c = __lw_next(); }
            else if (base == 0) base = 8;
        }
        if (base == 0) base = 10;
        unsigned long value = 0;
        for (;; c = __lw_next()) {
            unsigned digit = isdigit(c) ? c - '0' : isxdigit(c) ? (c | 32) - 'a' + 10 : 99;
            if (digit >= base) break;
            found = true;
            if (value > (~0ul - digit) / base) over = true;
            else value = value * base + digit;
        }
        if (c < 0) state |= eofbit;
        __lw_back(c);
        const bool is_signed = (T)-1 < (T)0;
        unsigned long least = 1ul << (8 * sizeof(T) - 1), most = is_signed ? least - !negative : least - 1 + least;
        if (!found) v = 0;
        else if (over || value > most) v = (T)most;
        else v = (T)(negative ? 0 - value : value);
        if (!found || over || value > most) state |= failbit;
        return *this;
    }
    template <class T> istream &__lw_real(T &v, T most) {
        char text[304];
        size_t n = 0;
        int c = __lw_skip();
        if (c < 0) return *this;
        bool digits = false, point = false, power = false;
        for (; n < 300; c = __lw_next()) {
            bool sign = (c == '+' || c == '-') && (n == 0 || text[n - 1] == 'e' || text[n - 1] == 'E');
            if (c == '.' && !point && !power) point = true;
            else if ((c == 'e' || c == 'E') && digits && !power) power = true;
            else if (isdigit(c)) digits = true;
            else if (!sign) break;
            text[n++] = (char)c;
        }
        if (c < 0) state |= eofbit;
        __lw_back(c);
        text[n] = 0;
        char *end = text;
        double read = strtod(text, &end);
        if (n == 0 || end != text + n) { v = 0; state |= failbit; }
        else if (read > (double)most || read < -(double)most) { v = read < 0 ? -most : most; state |= failbit; }
        else v = (T)read;
        return *this;
    }
    istream &operator>>(short &v) { return __lw_integer(v); }
    istream &operator>>(unsigned short &v) { return __lw_integer(v); }
    istream &operator>>(int &v) { return __lw_integer(v); }
    istream &operator>>(unsigned &v) { return __lw_integer(v); }
    istream &operator>>(long &v) { return __lw_integer(v); }
    istream &operator>>(unsigned long &v) { return __lw_integer(v); }
    istream &operator>>(long long &v) { return __lw_integer(v); }
    istream &operator>>(unsigned long long &v) { return __lw_integer(v); }
    istream &operator>>(float &v) { return __lw_real(v, 3.4028234663852886e38f); }
    istream &operator>>(double &v) { return __lw_real(v, 1.7976931348623157e308); }
    istream &operator>>(long double &v) { return __lw_real(v, 1.7976931348623157e308L); }
    istream &operator>>(bool &v) {
        if (!(format & boolalpha)) {
            long n = 0;
            int first = __lw_skip();
            if (first < 0) return *this;
            __lw_back(first);
            __lw_integer(n);
            if (n != 0 && n != 1) state |= failbit;
            v = n != 0;
            return *this;
        }
        int c = __lw_skip();
        if (c < 0) return *this;
        v = c == 't';
        for (const char *word = v ? "true" : "false"; *word; word++, c = __lw_next())
            if (c != *word) { __lw_back(c); v = false; state |= failbit; return *this; }
        __lw_back(c);
        if (c < 0) state |= eofbit;
        return *this;
    }
    istream &operator>>(istream &(*change)(istream &)) { return change(*this); }
    istream &operator>>(ios_base &(*change)(ios_base &)) { change(*this); return *this; }
    int get() { int c = __lw_next(); taken = c >= 0; if (c < 0) state |= eofbit | failbit; return c; }
    istream &get(char &to) { int c = get(); if (c >= 0) to = (char)c; return *this; }
    int peek() { int c = __lw_next(); __lw_back(c); if (c < 0) state |= eofbit; return c; }
    istream &unget() { if (buffer && at > 0) at--; return *this; }
    istream &putback(char c) { __lw_back((unsigned char)c); return *this; }
    istream &ignore(long n = 1, int stop = -1) {
        for (taken = 0; taken < n;) {
            int c = __lw_next();
            if (c < 0) { state |= eofbit; break; }
            taken++;
            if (c == stop) break;
        }
        return *this;
    }
    istream &read(char *to, long n) {
        for (taken = 0; taken < n; taken++) {
            int c = __lw_next();
            if (c < 0) { state |= eofbit | failbit; break; }
            to[taken] = (char)c;
        }
        return *this;
    }
    istream &getline(char *to, long n, char stop = '\n') {
        taken = 0;
        if (n > 0) *to = 0;
        if (state) { state |= failbit; return *this; }
        long i = 0;
        int c = __lw_next();
        for (; c >= 0 && c != (unsigned char)stop && i < n - 1; c = __lw_next()) to[i++] = (char)c;
        if (n > 0) to[i] = 0;
        taken = i + (c == (unsigned char)stop);
        if (c < 0) state |= eofbit;
        else if (c != (unsigned char)stop) { __lw_back(c); state |= failbit; }
        if (taken == 0) state |= failbit;
        return *this;
    }
    long gcount() const { return taken; }
    long tellg() { return buffer ? (long)at : file ? ftell(file) : -1; }
    istream &seekg(long to, unsigned from = 0) {
        state &= ~eofbit;
        if (buffer) at = from == 0 ? to : from == 1 ? at + to : buffer->count + to;
        else if (file) fseek(file, to, from);
        return *this;
    }
};
inline istream cin{stdin, nullptr};
// Writes the rest of what another stream reads.
inline ostream &operator<<(ostream &out, streambuf *from) {
    long n = 0;
    if (from && from->in) for (int c; (c = from->in->__lw_next()) >= 0; n++) out.put((char)c);
    if (n == 0) out.setstate(ios_base::failbit);
    return out;
}
inline istream &ws(istream &in) { int c = in.__lw_next(); while (isspace(c)) c = in.__lw_next(); in.__lw_back(c); return in; }
inline istream &operator>>(istream &in, char &to) { int c = in.__lw_skip(); if (c >= 0) to = (char)c; return in; }
inline istream &operator>>(istream &in, unsigned char &to) { int c = in.__lw_skip(); if (c >= 0) to = (unsigned char)c; return in; }
inline istream &operator>>(istream &in, string &to) {
    int c = in.__lw_skip();
    if (c < 0) return in;
    to.clear();
    for (; c >= 0 && !isspace(c); c = in.__lw_next()) to.push_back((char)c);
    if (c < 0) in.setstate(ios_base::eofbit);
    in.__lw_back(c);
    return in;
}
inline istream &operator>>(istream &in, __lw_base_setting b) { in.setf(b.n == 16 ? 8u : b.n == 8 ? 64u : b.n == 10 ? 2u : 0u, 74); return in; }
inline istream &operator>>(istream &in, __lw_flags f) { in.unsetf(f.clear); in.setf(f.set); return in; }
inline istream &operator>>(istream &in, const __lw_quoted &q) {
    int c = in.__lw_skip();
    if (c < 0 || !q.to) return in;
    if (c != (unsigned char)q.quote) { in.__lw_back(c); return in >> *q.to; }
    q.to->clear();
    while ((c = in.__lw_next()) >= 0 && c != (unsigned char)q.quote) {
        if (c == (unsigned char)q.escape) c = in.__lw_next();
        q.to->push_back((char)c);
    }
    if (c < 0) in.setstate(ios_base::eofbit | ios_base::failbit);
    return in;
}
inline istream &getline(istream &in, string &to, char stop) {
    if (in.fail()) return in;
    to.clear();
    int c = in.__lw_next();
    if (c < 0) { in.setstate(ios_base::eofbit | ios_base::failbit); return in; }
    for (; c >= 0 && c != stop; c = in.__lw_next()) to.push_back((char)c);
    if (c < 0) in.setstate(ios_base::eofbit);
    return in;
}
inline istream &getline(istream &in, string &to) { return getline(in, to, '\n'); }
struct ostringstream : ostream {
    string held;
    ostringstream() : ostream(nullptr, nullptr) { buffer = &held; }
    explicit ostringstream(const string &s) : ostream(nullptr, nullptr), held(s) { buffer = &held; }
    ostringstream(const ostringstream &) = delete;
    string str() const { return held; }
    void str(const string &s) { held = s; }
};
struct istringstream : istream {
    string held;
    istringstream() : istream(nullptr, nullptr) { buffer = &held; }
    explicit istringstream(const string &s) : istream(nullptr, nullptr), held(s) { buffer = &held; }
    istringstream(const istringstream &) = delete;
    string str() const { return held; }
    void str(const string &s) { held = s; at = 0; }
};
struct stringstream : istream, ostream {
    string held;
    stringstream() : istream(nullptr, nullptr), ostream(nullptr, nullptr, (istream *)this) { istream::buffer = ostream::buffer = &held; }
    explicit stringstream(const string &s) : istream(nullptr, nullptr), ostream(nullptr, nullptr, (istream *)this), held(s) { istream::buffer = ostream::buffer = &held; }
    stringstream(const stringstream &) = delete;
    string str() const { return held; }
    void str(const string &s) { held = s; at = 0; }
    void clear(unsigned s = 0) { istream::clear(s); ostream::clear(s); }
    bool fail() const { return istream::fail() || ostream::fail(); }
    bool eof() const { return istream::eof(); }
    bool good() const { return istream::good() && ostream::good(); }
    explicit operator bool() const { return !fail(); }
    bool operator!() const { return fail(); }
    streambuf *rdbuf() { return istream::rdbuf(); }
    int precision(int n) { return ostream::precision(n); }
    unsigned setf(unsigned f) { return ostream::setf(f); }
};
inline const char *__lw_mode(unsigned mode) {
    if (mode & ios_base::app) return "ab";
    if (mode & ios_base::in) return mode & ios_base::out ? mode & ios_base::trunc ? "w+b" : "r+b" : "rb";
    return "wb";
}
struct ofstream : ostream {
    ofstream() : ostream(nullptr, nullptr) {}
    explicit ofstream(const char *name, unsigned mode = ios_base::out) : ostream(nullptr, nullptr) { open(name, mode); }
    explicit ofstream(const string &name, unsigned mode = ios_base::out) : ostream(nullptr, nullptr) { open(name.c_str(), mode); }
    ofstream(const ofstream &) = delete;
    ~ofstream() { close(); }
    void open(const char *name, unsigned mode = ios_base::out) {
        file = fopen(name, __lw_mode(mode & ~ios_base::in));
        state = file ? 0 : failbit;
    }
    void open(const string &name, unsigned mode = ios_base::out) { open(name.c_str(), mode); }
    bool is_open() const { return file != nullptr; }
    void close() { if (file) fclose(file); file = nullptr; }
    long tellp() { return file ? ftell(file) : -1; }
};
struct ifstream : istream {
    ifstream() : istream(nullptr, nullptr) {}
    explicit ifstream(const char *name, unsigned mode = ios_base::in) : istream(nullptr, nullptr) { open(name, mode); }
    explicit ifstream(const string &name, unsigned mode = ios_base::in) : istream(nullptr, nullptr) { open(name.c_str(), mode); }
    ifstream(const ifstream &) = delete;
    ~ifstream() { close(); }
    void open(const char *name, unsigned mode = ios_base::in) {
        file = fopen(name, "rb");
        state = file ? 0 : failbit;
        if (file && mode & ios_base::ate) fseek(file, 0, 2);
    }
    void open(const string &name, unsigned mode = ios_base::in) { open(name.c_str(), mode); }
    bool is_open() const { return file != nullptr; }
    void close() { if (file) fclose(file); file = nullptr; }
};
struct fstream : istream, ostream {
    fstream() : istream(nullptr, nullptr), ostream(nullptr, nullptr, (istream *)this) {}
    explicit fstream(const char *name, unsigned mode = ios_base::in | ios_base::out) : istream(nullptr, nullptr), ostream(nullptr, nullptr, (istream *)this) { open(name, mode); }
    explicit fstream(const string &name, unsigned mode = ios_base::in | ios_base::out) : istream(nullptr, nullptr), ostream(nullptr, nullptr, (istream *)this) { open(name.c_str(), mode); }
    fstream(const fstream &) = delete;
    ~fstream() { close(); }
    void open(const char *name, unsigned mode = ios_base::in | ios_base::out) {
        istream::file = ostream::file = fopen(name, __lw_mode(mode));
        istream::state = ostream::state = istream::file ? 0 : ios_base::failbit;
    }
    void open(const string &name, unsigned mode = ios_base::in | ios_base::out) { open(name.c_str(), mode); }
    bool is_open() const { return istream::file != nullptr; }
    void close() { if (istream::file) fclose(istream::file); istream::file = ostream::file = nullptr; }
    bool fail() const { return istream::fail() || ostream::fail(); }
    bool good() const { return istream::good() && ostream::good(); }
    bool eof() const { return istream::eof(); }
    explicit operator bool() const { return !fail(); }
    bool operator!() const { return fail(); }
};
typedef istream iostream;
template <class T> struct istream_iterator {
    istream *from;
    T value;
    istream_iterator() : from(nullptr), value() {}
    istream_iterator(istream &stream) : from(&stream), value() { ++*this; }
    const T &operator*() const { return value; }
    const T *operator->() const { return &value; }
    istream_iterator &operator++() { if (from && !(*from >> value)) from = nullptr; return *this; }
    istream_iterator operator++(int) { istream_iterator old = *this; ++*this; return old; }
    bool operator==(const istream_iterator &other) const { return from == other.from; }
    bool operator!=(const istream_iterator &other) const { return from != other.from; }
};
// The characters of a stream.
template <class C = char> struct istreambuf_iterator {
    typedef C value_type;
    typedef C reference;
    typedef C *pointer;
    typedef ptrdiff_t difference_type;
    typedef input_iterator_tag iterator_category;
    istream *from;
    istreambuf_iterator() : from(nullptr) {}
    istreambuf_iterator(istream &in) : from(&in) {}
    istreambuf_iterator(streambuf *buffer) : from(buffer ? buffer->in : nullptr) {}
    int __lw_peek() const {
        if (!from) return -1;
        int c = from->__lw_next();
        from->__lw_back(c);
        return c;
    }
    C operator*() const { return (C)__lw_peek(); }
    istreambuf_iterator &operator++() { from->__lw_next(); return *this; }
    istreambuf_iterator operator++(int) { istreambuf_iterator old = *this; from->__lw_next(); return old; }
    bool operator==(const istreambuf_iterator &other) const { return (__lw_peek() < 0) == (other.__lw_peek() < 0); }
    bool operator!=(const istreambuf_iterator &other) const { return !(*this == other); }
};
template <class T> struct ostream_iterator {
    typedef output_iterator_tag iterator_category;
    ostream *out;
    const char *separator;
    ostream_iterator(ostream &o, const char *s = nullptr) : out(&o), separator(s) {}
    ostream_iterator &operator=(const T &v) { *out << v; if (separator) *out << separator; return *this; }
    ostream_iterator &operator*() { return *this; }
    ostream_iterator &operator++() { return *this; }
};
} // namespace std
