// swift-iap2 · Apache-2.0

import CI2C
import Glibc
import IAP2Transport

/// An open `/dev/i2c-N` for blocking transfers, one at a time.
struct I2CAdapter {
  /// The kind of transfers that the adapter supports.
  enum Way: Equatable {
    /// Any messages (I2C_RDWR). Selecting a register and reading it are two messages, because the chip may be busy in
    /// between.
    case messages
    /// SMBus transfers of at most 32 bytes. Each contains the register's address.
    case smbus
  }

  private let descriptor: Int32
  let way: Way
  let path: String

  init(_ path: String) throws(CoprocessorError) {
    self.path = path
    descriptor = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC)
    let address = "\(I2CAddress.scheme):\(path)"
    guard descriptor >= 0 else {
      throw errno == EISDIR
        ? .noAdapter : .transport(TransportError(number: errno, operation: "open", address: address))
    }
    var functions: UInt = 0
    guard unsafe ioctl(descriptor, UInt(I2C_FUNCS), &functions) == 0 else {
      let number = errno
      Glibc.close(descriptor)
      // Other files and other devices report these errors.
      let isOther = number == ENOTTY || number == EINVAL
      throw isOther ? .noAdapter : .transport(TransportError(number: number, operation: "ask", address: address))
    }
    let smbus = UInt(I2C_FUNC_SMBUS_READ_I2C_BLOCK | I2C_FUNC_SMBUS_WRITE_I2C_BLOCK)
    if functions & UInt(I2C_FUNC_I2C) != 0 {
      way = .messages
    } else if functions & smbus == smbus {
      way = .smbus
    } else {
      Glibc.close(descriptor)
      throw .transport(.system(number: EOPNOTSUPP, operation: "\(path) has neither I2C nor SMBus block transfers"))
    }
  }

  func close() { Glibc.close(descriptor) }

  /// Transfers one message of plain I2C.
  func transfer(_ chip: UInt8, _ bytes: inout [UInt8], isRead: Bool) throws(RegisterPortError) {
    let count = UInt16(bytes.count)
    let status = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      var message = unsafe i2c_msg(
        addr: UInt16(chip), flags: isRead ? UInt16(I2C_M_RD) : 0, len: count, buf: buffer.baseAddress)
      return unsafe withUnsafeMutablePointer(to: &message) { message in
        var transfer = unsafe i2c_rdwr_ioctl_data(msgs: message, nmsgs: 1)
        return unsafe ioctl(descriptor, UInt(I2C_RDWR), &transfer)
      }
    }
    if status < 0 { throw failure(errno) }
  }

  /// Makes one SMBus transfer; a read fills `bytes`. One byte is transferred as byte data, several as an I2C block.
  func smbus(_ chip: UInt8, _ register: UInt8, _ bytes: inout [UInt8], isRead: Bool) throws(RegisterPortError) {
    guard bytes.count <= Int(I2C_SMBUS_BLOCK_MAX) else {
      throw .tooLong(byteCount: bytes.count, limit: Int(I2C_SMBUS_BLOCK_MAX))
    }
    // This request takes a number in place of a pointer, and no chip has an address below 08. I2C_SLAVE_FORCE would
    // take the chip from a kernel driver.
    guard let number = unsafe UnsafeMutableRawPointer(bitPattern: UInt(chip)),
      unsafe ioctl(descriptor, UInt(I2C_SLAVE), number) == 0
    else { throw failure(errno) }
    let isByte = bytes.count == 1
    var data = i2c_smbus_data()
    let count = bytes.count
    let start = isByte ? 0 : 1
    let status = unsafe withUnsafeMutableBytes(of: &data) { raw in
      if !isByte { unsafe raw[0] = UInt8(count) }
      if !isRead { for index in 0..<count { unsafe raw[start + index] = bytes[index] } }
      return unsafe raw.withMemoryRebound(to: i2c_smbus_data.self) { pointer in
        var transfer = unsafe i2c_smbus_ioctl_data(
          read_write: isRead ? UInt8(I2C_SMBUS_READ) : UInt8(I2C_SMBUS_WRITE), command: register,
          size: UInt32(isByte ? I2C_SMBUS_BYTE_DATA : I2C_SMBUS_I2C_BLOCK_DATA), data: pointer.baseAddress)
        return unsafe ioctl(descriptor, UInt(I2C_SMBUS), &transfer)
      }
    }
    if status < 0 { throw failure(errno) }
    guard isRead else { return }
    unsafe withUnsafeBytes(of: &data) { raw in
      // The first byte is the number of bytes that the adapter has read.
      let found = isByte ? 1 : min(count, Int(unsafe raw[0]))
      bytes = (0..<found).map { unsafe raw[start + $0] }
    }
  }

  /// Maps an `errno` to an error. By the kernel's fault codes (Documentation/i2c/fault-codes.rst), ENXIO means no
  /// acknowledgement. Older drivers report EREMOTEIO or EIO, i2c-stub reports ENODEV, and lost arbitration is EAGAIN.
  private func failure(_ number: Int32) -> RegisterPortError {
    switch number {
    case ENXIO, EREMOTEIO, EIO, ENODEV, EAGAIN, EINTR: .notAcknowledged
    default: .failed(TransportError(number: number, operation: "transfer", address: "\(I2CAddress.scheme):\(path)"))
    }
  }
}
