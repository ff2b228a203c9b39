// The target exists for its precompiled header.

int main() {}
