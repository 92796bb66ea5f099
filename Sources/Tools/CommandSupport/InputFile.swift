// swift-iap2 · Apache-2.0

package import Foundation
import Glibc
package import IAP2Runtime
import IAP2Transport
import Synchronization

/// Reading of files that the user names, with errors for the user.
package enum InputFile {
  package static func open(_ path: String) throws -> FileHandle {
    var isDirectory = ObjCBool(false)
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw CommandFailure(.noInput, "no such file: \(path)")
    }
    guard !isDirectory.boolValue else { throw CommandFailure(.noInput, "\(path) is a folder, not a file") }
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let number = errno
      if number == EACCES || number == EPERM { throw CommandFailure(.noPermission, "no permission to read \(path)") }
      let status: ExitStatus = number == EMFILE || number == ENFILE ? .system : .noInput
      throw CommandFailure(status, "cannot read \(path): \(unsafe String(cString: strerror(number)))")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try FilesInUse.shared.note(handle, path, as: .input)
    return handle
  }

  /// Returns the bytes of a whole file.
  ///
  /// - Parameter limit: the size limit in bytes, above that of any certificate, key or scenario.
  package static func bytes(_ path: String, limit: Int = 1 << 20) throws -> [UInt8] {
    try bytes(open(path), path, limit: limit)
  }

  /// Returns the bytes of a whole file that is open.
  package static func bytes(_ handle: FileHandle, _ path: String, limit: Int) throws -> [UInt8] {
    guard let data = try read(handle, upToCount: limit + 1, path) else { return [] }
    guard data.count <= limit else { throw CommandFailure(.badInput, "\(path) is larger than \(limit) bytes") }
    return Array(data)
  }

  /// Returns the system's text of an error that Foundation wraps.
  package static func reason(_ error: any Error) -> String {
    guard let number = number(error) else { return (error as NSError).localizedDescription }
    return unsafe String(cString: strerror(number))
  }

  /// Returns the errno of an error, or nil if it has none.
  package static func number(_ error: any Error) -> Int32? {
    let outer = error as NSError
    // Foundation wraps the system's error as POSIXError, which does not cast to NSError.
    let system = (outer.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError } ?? outer
    return system.domain == NSPOSIXErrorDomain ? Int32(system.code) : nil
  }

  /// Returns the next bytes; nil at the end.
  package static func read(_ handle: FileHandle, upToCount count: Int, _ path: String) throws -> Data? {
    do { return try handle.read(upToCount: count) } catch {
      throw CommandFailure(.noInput, "cannot read \(path): \(reason(error))")
    }
  }
}

/// A file to write. It is opened at once, so that an error is known early, and truncated when the first bytes are
/// stored. Devices and pipes are written as they are.
package enum OutputFile {
  /// - Parameters:
  ///   - waits: Whether to wait for the reader of a pipe that has none; otherwise that is an error.
  ///   - isSole: Whether no other part of the command may write the file.
  ///   - appends: Whether each write goes to the end of the file.
  ///   - isPrivate: Whether a new file gets mode 0600. ``hide(_:_:)`` does that to an older one.
  package static func open(
    _ path: String, waits: Bool = true, isSole: Bool = false, appends: Bool = false, isPrivate: Bool = false
  ) throws -> FileHandle {
    try requireName(path)
    let mode: mode_t = isPrivate ? 0o600 : 0o666
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (appends ? O_APPEND : 0)
    var descriptor = unsafe Glibc.open(path, flags | O_NONBLOCK, mode)
    if descriptor >= 0 {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    } else if errno == ENXIO, waits {
      Output.note("waiting for a reader of the pipe \(path)")
      descriptor = unsafe Glibc.open(path, flags, mode)
    }
    guard descriptor >= 0 else {
      let number = errno
      let status: ExitStatus =
        switch number {
        case EACCES, EPERM, EROFS: .noPermission
        case EMFILE, ENFILE: .system
        default: .noInput
        }
      throw CommandFailure(status, "cannot write \(path): \(unsafe String(cString: strerror(number)))")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try FilesInUse.shared.note(file, path, as: isSole ? .soleOutput : .output)
    return file
  }

  /// Throws for `-`, which stands for standard output in other places. Outputs that can go there test for it before.
  package static func requireName(_ path: String) throws {
    guard path == "-" else { return }
    throw CommandFailure(
      .usage, "this output cannot go to standard output (-); name a file or folder, or ./- for one of that name")
  }

  /// Returns the length of an ordinary file in bytes; 0 for a device or a pipe.
  package static func byteCount(_ file: FileHandle) -> Int {
    FileIdentity(descriptor: file.fileDescriptor)?.byteCount ?? 0
  }

  /// Returns whether two paths lead to the same file; false if one of them does not exist.
  package static func isSame(_ a: String, _ b: String) -> Bool {
    func identity(_ path: String) throws -> [NSNumber?] {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false))
      return [attributes[.systemNumber] as? NSNumber, attributes[.systemFileNumber] as? NSNumber]
    }
    do { return try identity(a) == identity(b) } catch { return false }
  }

  /// Truncates a file that was opened here. Standard output may be a file that other commands write to as well.
  package static func empty(_ file: FileHandle) {
    guard file.fileDescriptor != FileHandle.standardOutput.fileDescriptor else { return }
    // Only ordinary files can be truncated.
    if ftruncate(file.fileDescriptor, 0) == 0 { lseek(file.fileDescriptor, 0, SEEK_SET) }
  }

  /// Removes a file that was opened here and got no byte.
  package static func removeIfEmpty(_ path: String, _ file: FileHandle) {
    guard FileIdentity(descriptor: file.fileDescriptor) != nil, lseek(file.fileDescriptor, 0, SEEK_END) == 0 else {
      return
    }
    _ = unsafe unlink(path)
  }

  /// Sets mode 0600 on an ordinary file, because its content is private.
  package static func hide(_ file: FileHandle, _ path: String) throws {
    guard FileIdentity(descriptor: file.fileDescriptor) != nil, fchmod(file.fileDescriptor, 0o600) != 0 else { return }
    let reason = unsafe String(cString: strerror(errno))
    throw CommandFailure(.noPermission, "cannot set mode 0600 on \(path): \(reason); name a file of your own")
  }
}

/// The ordinary files that this process reads and writes, by their identity in the file system: an output is never an
/// input of the same command, whatever name or link leads to it.
package final class FilesInUse: Sendable {
  /// A sole output is written by one part of the command only, such as a capture.
  package enum Use: Sendable { case input, output, soleOutput }

  package static let shared = FilesInUse()

  private let files = Mutex<[FileIdentity: (use: Use, path: String)]>([:])

  /// Notes an open file.
  ///
  /// - Throws: a usage failure when the file is used the other way already. Nothing has been written to it then.
  package func note(_ file: FileHandle, _ path: String, as use: Use) throws {
    try note(descriptor: file.fileDescriptor, path, as: use)
  }

  /// Notes an open file, by its descriptor.
  package func note(descriptor: Int32, _ path: String, as use: Use) throws {
    guard let identity = FileIdentity(descriptor: descriptor) else { return }
    let other = files.withLock { files in
      // The number of a file that is gone, or was replaced, may be that of any other file now.
      if let known = files[identity], FileIdentity(path: known.path) != identity { files[identity] = nil }
      let other = files[identity]
      if other == nil { files[identity] = (use, path) }
      return other
    }
    guard let other, other.use != use || use == .soleOutput else { return }
    guard other.use == .input || use == .input else {
      let names = path == other.path ? "\(path) is" : "\(path) is the same file as \(other.path),"
      throw CommandFailure(.usage, "\(names) another output of this command; name another file")
    }
    let (input, output) = use == .input ? (path, other.path) : (other.path, path)
    let names = input == output ? "\(output) is" : "\(output) is the same file as \(input),"
    throw CommandFailure(.usage, "\(names) an input of this command and cannot be its output; name another file")
  }
}

/// A folder for output files. It is created before the work, so that an error is known early.
package struct OutputFolder {
  private let path: String
  private let isNew: Bool

  package init(_ path: String) throws {
    try OutputFile.requireName(path)
    self.path = path
    isNew = !FileManager.default.fileExists(atPath: path)
    if let number = Self.create(path) {
      throw CommandFailure(
        [EACCES, EPERM, EROFS].contains(number) ? .noPermission : .noInput,
        "cannot create the folder \(path): \(unsafe String(cString: strerror(number))); name another"
      )
    }
    guard unsafe access(path, W_OK | X_OK) == 0 else {
      throw CommandFailure(.noPermission, "no permission to create files in \(path)")
    }
  }

  /// Creates a folder with its parents, unless it exists.
  ///
  /// - Returns: the errno of a failure, or nil.
  private static func create(_ path: String) -> Int32? {
    if unsafe mkdir(path, 0o777) == 0 { return nil }
    let number = errno
    if number == EEXIST { return isFolder(path) ? nil : ENOTDIR }
    let parent = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    guard number == ENOENT, !isFolder(parent), parent != path else { return number }
    return create(parent) ?? create(path)
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// Removes the folder if this command created it and it is empty.
  package func removeIfUnused() {
    // `rmdir` fails for a folder with files, which stays.
    if isNew { unsafe rmdir(path) }
  }
}

/// A file's bytes, read on demand on a thread of its own, so that a cancelled task does not wait for a keyboard.
package final class FileChunks: Sendable {
  package static let standardInput = FileChunks(.standardInput)

  private struct State {
    var chunk: [UInt8]?
    var isReading = false
    var isEnded = false
  }

  private let file: FileHandle
  private let state = Mutex(State())
  private let arrived = Signal()

  package init(_ file: FileHandle) { self.file = file }

  /// Returns the next bytes; nil at the end and after cancellation. Bytes that arrive later are kept for the next call.
  package func next() async -> [UInt8]? {
    while true {
      let (chunk, isEnded, startsReading) = state.withLock { state in
        defer { state.chunk = nil }
        let starts = state.chunk == nil && !state.isEnded && !state.isReading
        if starts { state.isReading = true }
        return (state.chunk, state.isEnded, starts)
      }
      if let chunk { return chunk }
      if isEnded || Task.isCancelled { return nil }
      if startsReading { DispatchQueue.global().async { self.read() } }
      await arrived.wait()
    }
  }

  private func read() {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var count = unsafe Glibc.read(file.fileDescriptor, &bytes, bytes.count)
    while count < 0, errno == EINTR { count = unsafe Glibc.read(file.fileDescriptor, &bytes, bytes.count) }
    state.withLock { state in
      state.isReading = false
      if count > 0 { state.chunk = Array(bytes.prefix(count)) } else { state.isEnded = true }
    }
    arrived.notify()
  }
}

/// Standard input and output as the service of an EA session.
package enum StandardStreams {
  /// After the end of the input, the other side ends the session.
  package static func join(_ stream: ExternalAccessoryStream) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while let bytes = await FileChunks.standardInput.next() {
          do { try await stream.write(bytes) } catch { return }
        }
      }
      while let bytes = await stream.read() {
        do { try FileHandle.standardOutput.write(contentsOf: Data(bytes)) } catch { break }
      }
      group.cancelAll()
    }
  }
}
