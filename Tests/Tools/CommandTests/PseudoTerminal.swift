// swift-iap2 · Apache-2.0

import Foundation
import Glibc

/// A terminal without a user.
struct PseudoTerminal {
  /// The end of the terminal's window. When it is closed, the terminal hangs up.
  let own: FileHandle
  /// The end for the command.
  let other: FileHandle

  /// TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h, which Glibc's Swift module leaves out.
  private static let unlock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  init() throws {
    own = try Self.open("/dev/ptmx")
    var isLocked: Int32 = 0
    var number: UInt32 = 0
    guard unsafe ioctl(own.fileDescriptor, Self.unlock, &isLocked) == 0,
      unsafe ioctl(own.fileDescriptor, Self.getNumber, &number) == 0
    else { throw POSIXError(.ENOTTY) }
    other = try Self.open("/dev/pts/\(number)")
  }

  private static func open(_ path: String) throws -> FileHandle {
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Whether the command has written to the terminal.
  var hasText: Bool {
    var waiting = pollfd(fd: own.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&waiting, 1, 0) > 0 && Int32(waiting.revents) & POLLIN != 0
  }
}
