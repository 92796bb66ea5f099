// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// A program on loopback that accepts one connection and echoes.
final class EchoServer: Sendable {
  let port: UInt16

  /// - Parameter ending: the number of connections that are closed at once, before the served one.
  init(ending: Int = 0) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        unsafe bind(listener, name, length) | listen(listener, 1) | getsockname(listener, name, &length)
      }
    }
    try #require(listener >= 0 && status == 0)
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread {
      for _ in 0..<ending { close(accept(listener, nil, nil)) }
      let peer = accept(listener, nil, nil)
      var bytes = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = unsafe read(peer, &bytes, bytes.count)
        guard count > 0, unsafe write(peer, bytes, count) == count else { break }
      }
      close(peer)
      close(listener)
    }
  }

  /// A connection to a port of loopback.
  static func connect(to port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Foundation.connect(descriptor, $0, length)
      }
    }
    try #require(descriptor >= 0 && status == 0)
    return descriptor
  }
}
