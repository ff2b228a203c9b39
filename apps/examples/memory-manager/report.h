#pragma once

// The ledger for people: a table as text, a page with charts.

#include <string>

#include "ledger.h"

/// The peak, its largest owners, and the tenants of the arena at its fullest step. Both throw
/// std::runtime_error when the file cannot be written.
void write_text_report(const std::string& path, const Ledger& ledger);
/// The same with memory and fragmentation over time; needs nothing but the file.
void write_html_report(const std::string& path, const Ledger& ledger);
