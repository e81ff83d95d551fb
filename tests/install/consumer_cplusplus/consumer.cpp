// The least that a C++ program outside this repository does: compute something, check the answer.
#include <heddle.hpp>

#include <cstdio>

int main()
{
    try {
        const heddle::array a = heddle::asarray(std::vector<double>{1, -2, 3, -4});
        return heddle::sum(heddle::abs(a)).item<double>() == 10 ? 0 : 1;
    } catch (const heddle::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
