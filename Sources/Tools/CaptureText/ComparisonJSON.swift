// swift-iap2 · Apache-2.0

import CommandSupport
package import IAP2Analysis

/// Prints a comparison as JSON, one object per line: differences, notes, then steps.
package enum ComparisonJSON {
  /// Prints the lines.
  package static func show(_ comparison: SessionComparison) throws {
    for difference in comparison.differences { try Output.json(ComparisonLine(difference, comparison)) }
    for note in comparison.notes { try Output.json(ComparisonLine(note)) }
    for row in comparison.rows.indices { try Output.json(ComparisonLine(row: row, comparison)) }
  }
}
