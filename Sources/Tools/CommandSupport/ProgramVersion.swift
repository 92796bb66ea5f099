// swift-iap2 · Apache-2.0

/// The version of the program.
package enum ProgramVersion {
  package static let number = "0.1.0"
}
