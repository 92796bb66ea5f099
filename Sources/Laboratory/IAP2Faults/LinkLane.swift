// swift-iap2 · Apache-2.0

package import Basics
package import FaultModel
package import IAP2Transport

/// A direction of a transport that carries link packets.
package typealias LinkLane = FaultLane<TransportError>

extension LinkLane {
  /// Adds bytes, each link packet with a fate of its own.
  package mutating func enter(packets bytes: [UInt8], at now: MonotonicTime) {
    for piece in LinkPieces.of(bytes) { enter(piece, at: now) }
  }
}
