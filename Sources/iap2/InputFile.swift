// swift-iap2 · Apache-2.0

import Foundation
import IAP2Runtime

/// Files a user names, with errors that say what to do.
enum InputFile {
  static func open(_ path: String) throws -> FileHandle {
    var isDirectory = ObjCBool(false)
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw CommandFailure(.noInput, "no such file: \(path)")
    }
    guard !isDirectory.boolValue else { throw CommandFailure(.noInput, "\(path) is a folder, not a file") }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw CommandFailure(.noPermission, "may not read \(path)")
    }
    return handle
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    // Certificates and keys: more than this is something else.
    let limit = 1 << 20
    guard let data = try open(path).read(upToCount: limit + 1) else { return [] }
    guard data.count <= limit else { throw CommandFailure(.badInput, "\(path) is larger than \(limit) bytes") }
    return Array(data)
  }

  static func create(_ path: String) throws -> FileHandle {
    guard FileManager.default.createFile(atPath: path, contents: nil), let handle = FileHandle(forWritingAtPath: path)
    else { throw CommandFailure(.noPermission, "may not write \(path)") }
    return handle
  }
}

/// Standard input and output as an EA session's other end.
enum StandardStreams {
  /// A file's bytes, read on a thread of its own; one chunk is read ahead at most.
  static func chunks(of file: FileHandle) -> AsyncStream<[UInt8]> {
    AsyncStream(unfolding: {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          var bytes = [UInt8](repeating: 0, count: 1 << 16)
          let count = unsafe read(file.fileDescriptor, &bytes, bytes.count)
          continuation.resume(returning: count > 0 ? Array(bytes.prefix(count)) : nil)
        }
      }
    })
  }

  static func join(_ stream: ExternalAccessoryStream) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await bytes in chunks(of: .standardInput) {
          do { try await stream.write(bytes) } catch { return }
        }
      }
      group.addTask {
        while let bytes = await stream.read() {
          do { try FileHandle.standardOutput.write(contentsOf: Data(bytes)) } catch { return }
        }
      }
      // Nobody waits for a keyboard when the session is over.
      await group.next()
      group.cancelAll()
    }
  }
}
