// swift-iap2 · Apache-2.0

import Glibc

/// Pairs of descriptors that child processes do not inherit.
package enum Descriptors {
  /// Returns the ends of a pipe.
  ///
  /// - Throws: The system's error.
  package static func pipe() throws(SystemProblem) -> (reading: Int32, writing: Int32) {
    var pair: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&pair) == 0 else { throw SystemProblem(number: errno) }
    for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return (pair[0], pair[1])
  }

  /// Returns two connected sockets.
  ///
  /// - Throws: The system's error.
  package static func sockets() throws(SystemProblem) -> (ours: Int32, theirs: Int32) {
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw SystemProblem(number: errno) }
    return (pair[0], pair[1])
  }

  /// Returns an input without bytes.
  ///
  /// - Throws: The system's error.
  package static func nothing() throws(SystemProblem) -> Int32 {
    let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemProblem(number: errno) }
    return descriptor
  }

  package static func close(_ descriptors: Int32...) { for descriptor in descriptors { _ = Glibc.close(descriptor) } }
}
