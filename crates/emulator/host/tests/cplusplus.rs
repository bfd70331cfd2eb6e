//! Host code in C++: classes with virtual functions, exceptions, object lifetimes, and the C++ library. The expected
//! output is GCC's.

mod common;

/// Runs a program that ends with code 0, and returns its output.
fn output(source: &str, arguments: &[&str]) -> String {
    let (text, ended) = common::run(source, &[], arguments);
    assert_eq!(ended.map_err(|fault| fault.message), Ok(0));
    text
}

#[test]
fn virtual_functions_are_chosen_by_the_class_of_the_object() {
    let source = r#"
        #include <cstdio>
        struct Shape {
            int id;
            Shape(int i) : id(i) { printf("+S%d ", id); }
            virtual ~Shape() { printf("-S%d ", id); }
            virtual double area() const = 0;
            virtual const char *name() const { return "shape"; }
        };
        struct Circle : Shape {
            double r;
            Circle(double r) : Shape(1), r(r) {}
            ~Circle() { printf("-C "); }
            double area() const override { return 3 * r * r; }
            const char *name() const override { return "circle"; }
        };
        struct Square : Shape {
            double s;
            Square(double s) : Shape(2), s(s) {}
            double area() const override { return s * s; }
        };
        struct A { virtual int f() { return 1; } int a = 5; virtual ~A() {} };
        struct B { virtual int g() { return 2; } int b = 6; virtual ~B() { printf("-B "); } };
        struct C : A, B {
            int c = 7;
            int f() override { return 10; }
            int g() override { return 20 + c; }
            ~C() { printf("-C2 "); }
        };
        int main() {
            Shape *list[2] = {new Circle(2), new Square(3)};
            for (Shape *shape : list) printf("%s %g\n", shape->name(), shape->area());
            for (Shape *shape : list) delete shape;
            C c;
            A *a = &c;
            B *b = &c;
            printf("\n%d %d %d %d %d\n", a->f(), b->g(), b->b, ((C *)b)->c, b->B::g());
            printf("%d %d\n", dynamic_cast<C *>(b) == &c, dynamic_cast<A *>(b) == a);
            delete static_cast<B *>(new C);
            puts("");
            A copy = *a;
            printf("%d\n", copy.f());
        }
"#;
    let wanted = r#"
+S1 +S2 circle 12
shape 9
-C -S1 -S2 
10 27 6 7 2
1 1
-C2 -B 
1
-C2 -B 
"#;
    assert_eq!(output(source, &[]).trim(), wanted.trim());
}

#[test]
fn objects_are_destroyed_where_gcc_destroys_them() {
    let source = r#"
        #include <cstdio>
        #include <vector>
        struct Guard {
            int id;
            Guard(int i) : id(i) { printf("+%d ", id); }
            Guard(const Guard &o) : id(o.id + 100) { printf("c%d ", id); }
            ~Guard() { printf("-%d ", id); }
            int get() const { return id; }
        };
        Guard make(int i) { return Guard(i); }
        int take(Guard g) { return g.id; }
        Guard global(77);
        struct Holder { Guard g; std::vector<int> v; Holder() : g(5), v(3, 1) {} };
        int main() {
            make(1);
            puts("");
            printf("%d\n", make(2).get());
            printf("%d\n", take(make(3)));
            { Guard x(4); take(x); }
            puts("");
            const Guard &r = make(8);
            printf("%d\n", r.id);
            if (make(9).get() > 3 && make(10).get() > 20) puts("yes");
            else puts("no");
            for (int i = 0; i < 2; i++) i == 1 ? make(20).get() : make(30).get();
            puts("");
            { Holder h; Holder k = h; printf("[%zu] ", k.v.size()); k = h; }
            puts("");
            static Guard last(55);
            int n = 3 + take(make(6)) % 2, list[n];
            for (int i = 0; i < n; i++) list[i] = i * i;
            printf("%zu %d\n", sizeof(list), list[n - 1]);
        }
"#;
    let wanted = r#"
+77 +1 -1 
+2 2
-2 +3 3
-3 +4 c104 -104 -4 
+8 8
+9 +10 -10 -9 no
+30 -30 +20 -20 
+5 c105 [3] -5 -5 
+55 +6 -6 12 4
-8 -55 -77 
"#;
    assert_eq!(output(source, &[]).trim(), wanted.trim());
}

#[test]
fn exceptions_unwind_to_their_handler() {
    let source = r#"
        #include <stdexcept>
        #include <iostream>
        #include <string>
        struct G { const char* n; G(const char*s):n(s){ std::cout<<"+"<<n<<" "; } ~G(){ std::cout<<"-"<<n<<" "; } };
        struct MyErr : std::runtime_error { int code; MyErr(int c):std::runtime_error("my error"),code(c){} };
        int f(int n){ G g("f"); if(n==0) throw MyErr(42); if(n==1) throw std::string("text"); if(n==2) throw 7; return n; }
        int h(int n){ G g("h"); int r=f(n); std::cout<<"after "; return r+1; }
        struct Two { G a,b; Two():a("a"),b("b"){ throw std::logic_error("ctor"); } };
        int main(){
          for(int i=0;i<4;i++){
            try { G g("try"); int v=h(i); std::cout<<"value "<<v<<" "; if(i==3) continue; }
            catch(const MyErr& e){ std::cout<<"MyErr "<<e.code<<" "<<e.what(); }
            catch(std::string s){ std::cout<<"string "<<s; }
            catch(...){ std::cout<<"other"; }
            std::cout<<std::endl;
          }
          std::cout<<std::endl;
          try { Two t; } catch(std::exception& e){ std::cout<<"caught "<<e.what()<<std::endl; }
          try { try { throw std::out_of_range("inner"); } catch(const std::exception& e){ std::cout<<"rethrow "; throw; } } catch(const std::out_of_range& e){ std::cout<<"outer "<<e.what()<<std::endl; }
          try { std::string s="abc"; s.at(10); } catch(const std::exception& e){ std::cout<<e.what()<<std::endl; }
          try { std::stoi("x"); } catch(const std::invalid_argument& e){ std::cout<<e.what()<<std::endl; }
          auto risky=[](int x)->int{ if(x>2) throw x; return x; };
          int sum=0; for(int i=0;i<5;i++){ try { sum+=risky(i); } catch(int e){ sum+=100*e; } } std::cout<<sum<<std::endl;
          return 0;
        }
"#;
    let wanted = r#"
+try +h +f -f -h -try MyErr 42 my error
+try +h +f -f -h -try string text
+try +h +f -f -h -try other
+try +h +f -f after -h value 4 -try 
+a +b -b -a caught ctor
rethrow outer inner
basic_string::at: __n (which is 10) >= this->size() (which is 3)
stoi
703
"#;
    assert_eq!(output(source, &[]).trim(), wanted.trim());
}

#[test]
fn the_library_gives_the_output_of_gcc() {
    let source = r#"
        #include <iostream>
        #include <iomanip>
        #include <sstream>
        #include <string>
        #include <vector>
        #include <map>
        #include <set>
        #include <unordered_map>
        #include <algorithm>
        #include <numeric>
        #include <functional>
        #include <tuple>
        #include <random>
        #include <queue>
        #include <list>
        #include <complex>
        #include <array>
        #include <chrono>
        using namespace std;
        template<typename T> void show(const vector<T>& v){ for(auto&x:v) cout<<x<<' '; cout<<'\n'; }
        int add(int a,int b){return a+b;}
        int main(){
          cout<<fixed<<setprecision(3)<<3.14159<<" "<<setw(10)<<2.5f<<"|"<<left<<setw(6)<<42<<"|"<<right<<setfill('0')<<setw(5)<<7<<setfill(' ')<<endl;
          cout<<hex<<255<<" "<<showbase<<255<<dec<<noshowbase<<" "<<boolalpha<<true<<" "<<scientific<<1234.5<<defaultfloat<<" "<<1e10<<" "<<0.1f<<endl;
          string s="hello"; s+=" world"; s.insert(5,","); cout<<s<<" "<<s.size()<<" "<<s.find("world")<<" "<<s.substr(7)<<" "<<(s<"z")<<endl;
          stringstream ss; ss<<"1 2.5 abc\nline two\n"; int i; double d; string w,l; ss>>i>>d>>w; getline(ss,l); getline(ss,l); cout<<i<<d<<w<<"["<<l<<"]"<<endl;
          map<string,int> m; m["b"]=2; m["a"]=1; m["c"]=3; for(auto&[k,v]:m) cout<<k<<v<<" "; cout<<m.count("z")<<m.size()<<endl;
          m.erase("b"); for(auto it=m.begin();it!=m.end();++it) cout<<it->first<<" "; cout<<endl;
          set<int> st={5,3,9,3}; for(int x:st) cout<<x<<" "; cout<<endl;
          unordered_map<int,string> u; for(int k=0;k<30;k++) u[k*37%101]=to_string(k); for(auto&p:u) cout<<p.first<<":"<<p.second<<" "; cout<<endl;
          unordered_map<string,int> us; for(auto x:{"one","two","three","four","five","six","seven"}) us[x]++; for(auto&p:us) cout<<p.first<<" "; cout<<endl;
          vector<int> v(40); iota(v.begin(),v.end(),0); mt19937 g(123); shuffle(v.begin(),v.end(),g); show(v); sort(v.begin(),v.end(),greater<int>()); show(v);
          uniform_real_distribution<float> uf(0,1); uniform_real_distribution<double> ud(-1,1); uniform_int_distribution<int> ui(1,6); normal_distribution<float> nf(0,1); normal_distribution<double> nd;
          for(int k=0;k<4;k++) cout<<setprecision(9)<<uf(g)<<" "<<ud(g)<<" "<<ui(g)<<" "<<nf(g)<<" "<<nd(g)<<endl;
          default_random_engine e; for(int k=0;k<3;k++) cout<<uf(e)<<" "<<ud(e)<<" "<<ui(e)<<" "<<nd(e)<<endl; mt19937_64 g64(5); cout<<g64()<<" "<<ui(g64)<<" "<<ud(g64)<<endl;
          function<int(int,int)> f=add; cout<<f(2,3)<<" "; int base=10; f=[base](int a,int b){return a*b+base;}; cout<<f(2,3)<<endl;
          auto t=make_tuple(1,2.5,string("x")); cout<<get<0>(t)<<get<1>(t)<<get<2>(t)<<endl; int a; double b; tie(a,b,ignore)=t; cout<<a<<b<<endl;
          auto [p,q,r]=t; cout<<p<<q<<r<<endl;
          priority_queue<int> pq; for(int x:{3,1,4,1,5}) pq.push(x); while(!pq.empty()){cout<<pq.top();pq.pop();} cout<<endl;
          list<int> li={1,2,3}; li.push_front(0); for(int x:li) cout<<x; cout<<endl;
          complex<double> c(1,2); c=c*c; cout<<c<<abs(c)<<endl;
          array<int,3> ar={1,2,3}; cout<<accumulate(ar.begin(),ar.end(),0)<<" "<<*max_element(ar.begin(),ar.end())<<endl;
          vector<string> vs={"pear","apple","fig"}; sort(vs.begin(),vs.end()); for(auto&x:vs) cout<<x<<" "; vs.erase(vs.begin()); vs.insert(vs.begin()+1,"kiwi"); show(vs);
          pair<int,string> pr(1,"one"); auto pr2=make_pair(2,string("two")); cout<<pr.first<<pr2.second<<(pr<pr2)<<endl;
          vector<vector<int>> vv(3,vector<int>(2,7)); vv[1].push_back(8); cout<<vv[1].size()<<vv[2][1]<<endl;
          vector<int> w2; transform(v.begin(),v.end(),back_inserter(w2),[](int x){return x*x;}); cout<<accumulate(w2.begin(),w2.end(),0L)<<endl;
          ostringstream os; os<<setw(4)<<1<<","<<2.5; cout<<os.str()<<endl; cout<<count_if(v.begin(),v.end(),[](int x){return x%2;})<<endl;
        }
"#;
    let wanted = r#"
3.142      2.500|42    |00007
ff 0xff true 1.234e+03 1e+10 0.1
hello, world 12 7 world true
12.5abc[line two]
a1 b2 c3 03
a c 
3 5 9 
63:29 40:12 67:10 30:9 3:11 90:27 94:8 57:7 20:6 84:5 26:28 47:4 10:3 97:19 74:2 16:25 37:1 0:0 87:16 77:13 13:14 50:15 23:17 60:18 33:20 70:21 6:22 43:23 80:24 53:26 
seven six five four three two one 
9 4 27 0 34 2 19 12 20 18 14 26 16 25 36 38 15 30 3 37 6 5 23 1 24 39 10 13 21 33 22 31 35 8 17 11 7 28 32 29 
39 38 37 36 35 34 33 32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0 
0.343178004 0.458099417 2 -1.56073904 0.795320404
0.737995386 -0.635016535 3 -0.37561667 1.64950808
0.175451756 0.0631027404 5 -2.48686934 -0.0743942741
0.724455297 0.222047029 3 1.09723902 -1.90063702
7.82590359e-06 0.511210644 3 0.684289944
0.679296434 -0.232995845 4 -1.07518915
0.83096534 -0.893076731 4 0.462532044
12415856028556828342 1 -0.549422886
5 16
12.5x
12.5
12.5x
54311
0123
(-3,4)5
6 3
apple fig pear fig kiwi pear 
1twotrue
37
20540
   1,2.5
20
"#;
    assert_eq!(output(source, &[]).trim(), wanted.trim());
}

#[test]
fn arguments_of_class_templates_are_deduced() {
    let source = r#"
        #include <cstdio>
        #include <tuple>
        #include <utility>
        #include <vector>
        #include <array>
        template <class T> struct Box { T value; Box(T v) : value(v) {} };
        template <class T> T zero();
        template <> int zero<int>() { return 7; }
        template <> double zero() { return 1.5; }
        int main() {
            Box box(2.5);
            std::pair p(1, "one");
            std::vector v{1, 2, 3};
            std::array a{4, 5};
            auto [x, y] = std::tuple(6, 0.5);
            printf("%g %d %s %zu %d %d %g %g\n", box.value, p.first, p.second, v.size(), a[1], x, y, zero<double>());
        }
"#;
    let wanted = r#"
2.5 1 one 3 5 6 0.5 1.5
"#;
    assert_eq!(output(source, &[]).trim(), wanted.trim());
}

#[test]
fn options_of_the_command_line() {
    let source = r#"
        #include <cstdio>
        #include <getopt.h>
        int main(int argc, char **argv) {
            static option list[] = {{"size", required_argument, 0, 's'}, {"fast", no_argument, 0, 'f'}, {0, 0, 0, 0}};
            int found, at = -1;
            while ((found = getopt_long(argc, argv, "s:fv", list, &at)) != -1) printf("%c %s\n", found, optarg ? optarg : "-");
            for (int i = optind; i < argc; i++) printf("%s\n", argv[i]);
        }
"#;
    let wanted = r#"
s 3
f -
s 9
v -
file
other
"#;
    assert_eq!(
        output(source, &["program", "--size=3", "file", "-f", "-s", "9", "-v", "other"]).trim(),
        wanted.trim()
    );
}

#[test]
fn dates_threads_of_openmp_and_built_in_atomics() {
    let source = r#"
        #include <cstdio>
        #include <ctime>
        #include <cmath>
        #include <cstring>
        #include <memory>
        #include <omp.h>
        #include <sys/utsname.h>
        int main() {
            time_t list[] = {0, 951782400, 1709210096, 4102444799, -1};
            for (time_t t : list) {
                char text[100];
                tm *at = gmtime(&t), copy = *at;
                strftime(text, 100, "%a %b %d %H:%M:%S %Y %j %F", at);
                printf("%s %d\n", text, (int)(mktime(&copy) == t));
            }
            int e;
            double m = frexp(12.5, &e);
            printf("%g %d %g %d %g\n", m, e, logb(0.3), ilogb(1024.0), std::nextafter(1.0, 2.0) - 1.0);
            m = frexp(5e-324, &e);
            printf("%g %d %g\n", m, e, norm4d(1e-300, 2e-300, 2e-300, 4e-300));
            utsname about;
            printf("%d %d %d\n", uname(&about), omp_get_max_threads(), omp_get_thread_num());
            unsigned long value = 5;
            unsigned long old = __sync_fetch_and_or(&value, 2);
            printf("%lu %lu %d\n", old, value, (int)__sync_bool_compare_and_swap(&value, 7, 1));
            char memory[64];
            void *at = memory + 1;
            size_t room = 63;
            printf("%d ", std::align(16, 8, at, room) != nullptr && (size_t)at % 16 == 0);
            bzero(memory, 64);
            printf("%d\n", memory[63]);
        }"#;
    let text = "Thu Jan 01 00:00:00 1970 001 1970-01-01 1\nTue Feb 29 00:00:00 2000 060 2000-02-29 1\n\
                Thu Feb 29 12:34:56 2024 060 2024-02-29 1\nThu Dec 31 23:59:59 2099 365 2099-12-31 1\n\
                Wed Dec 31 23:59:59 1969 365 1969-12-31 1\n0.78125 4 -2 10 2.22045e-16\n0.5 -1073 5e-300\n0 1 0\n5 7 1\n1 0\n";
    assert_eq!(output(source, &[]), text);
}

#[test]
fn lists_tuples_iterators_of_streams_and_streams_by_their_base() {
    let source = r#"
        #include <iostream>
        #include <fstream>
        #include <sstream>
        #include <iterator>
        #include <functional>
        #include <list>
        #include <string>
        #include <vector>
        struct Point { int x, y; Point() = default; Point(int a, int b) : x(a), y(b) {} };
        int main(int argc, char **) {
            std::list<int> list = {1, 2, 3};
            list.resize(5, 7);
            list.resize(4);
            for (int v : list) std::cout << v << ' ';
            std::tuple<int, double> both(1, 2.5);
            std::istringstream in("4 5 6");
            std::vector<int> all(std::istream_iterator<int>{in}, std::istream_iterator<int>());
            std::ofstream file;
            std::ostream &out = argc > 5 ? file : std::cout;
            Point point = {}, other{};
            out << std::get<1>(both) << ' ' << all.size() << all[2] << ' ' << point.x + other.y << '\n';
        }"#;
    assert_eq!(output(source, &[]), "1 2 3 7 2.5 36 0\n");
}
