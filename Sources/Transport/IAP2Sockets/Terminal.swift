// swift-iap2 · Apache-2.0

import Glibc
import IAP2Transport
import NIOCore
import NIOPosix

/// Serial lines and pseudo-terminals in raw mode: eight data bits, no parity, no echo, no flow control.
enum Terminal {
  private static let speeds: [Int: speed_t] = [
    9600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400), 57_600: speed_t(B57600),
    115_200: speed_t(B115200), 230_400: speed_t(B230400), 460_800: speed_t(B460800), 921_600: speed_t(B921600),
  ]

  /// The constants TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h, which Swift's Glibc module lacks.
  private static let unlock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  static func speed(_ baud: Int) -> speed_t? { speeds[baud] }

  static func open(_ device: String, baud: Int) async throws(TransportError) -> SocketTransport {
    let address = "serial:\(device)@\(baud)"
    let descriptor = unsafe Glibc.open(device, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw TransportError(number: errno, operation: "open", address: address) }
    try makeRaw(descriptor, baud: baud, address: address)
    return try await adopt(descriptor, address: address)
  }

  /// Creates a pseudo-terminal. The transport's address is the path that the other program opens.
  static func createPseudoTerminal() async throws(TransportError) -> SocketTransport {
    let descriptor = unsafe Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw TransportError(number: errno, operation: "create", address: "pty") }
    var isLocked: Int32 = 0
    var number: UInt32 = 0
    guard unsafe ioctl(descriptor, unlock, &isLocked) == 0, unsafe ioctl(descriptor, getNumber, &number) == 0 else {
      let error = errno
      Glibc.close(descriptor)
      throw TransportError(number: error, operation: "name", address: "pty")
    }
    try makeRaw(descriptor, baud: TransportAddress.defaultBaud, address: "pty")
    return try await adopt(descriptor, address: "/dev/pts/\(number)")
  }

  private static func makeRaw(_ descriptor: Int32, baud: Int, address: String) throws(TransportError) {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else {
      let number = errno
      Glibc.close(descriptor)
      throw TransportError(number: number, operation: "configure", address: address)
    }
    unsafe cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    let speed = speeds[baud] ?? speed_t(B57600)
    unsafe cfsetispeed(&settings, speed)
    unsafe cfsetospeed(&settings, speed)
    guard unsafe tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
      let number = errno
      Glibc.close(descriptor)
      throw TransportError(number: number, operation: "configure", address: address)
    }
  }

  private static func adopt(_ descriptor: Int32, address: String) async throws(TransportError) -> SocketTransport {
    do {
      return try await NIOPipeBootstrap(group: NIOSingletons.posixEventLoopGroup)
        .takingOwnershipOfDescriptor(inputOutput: descriptor) { SocketTransport.made(of: $0, address: address) }
    } catch { throw TransportError(error, operation: "open", address: address) }
  }
}
