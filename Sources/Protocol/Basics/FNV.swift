// swift-iap2 · Apache-2.0

extension Sequence<UInt8> {
  /// The hash FNV-1a of 64 bits, which is the same in each run and on every machine.
  package var fnv1a: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 } }
}
