// swift-iap2 · Apache-2.0

import CSpawn
package import Glibc

/// A child process in its own process group.
package struct SpawnedProcess {
  /// The end of a process.
  package enum End: Hashable {
    case exit(Int32)
    case signal(Int32)
  }

  package let id: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The path of the program and its arguments.
  ///   - environment: The whole environment.
  ///   - descriptors: The descriptors of the child with those of this process.
  /// - Throws: The system's error number.
  package init(_ arguments: [String], environment: [String: String], descriptors: [Int32: Int32]) throws(SystemProblem)
  {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (target, source) in descriptors.sorted(by: { $0.key < $1.key }) {
      unsafe posix_spawn_file_actions_adddup2(&actions, source, target)
    }
    // Another thread may have opened a descriptor that is not yet marked for closing, such as a pipe for its own child.
    // If this child kept it open, the reader of that pipe would not see the end.
    let end = max(3, (descriptors.keys.max() ?? 0) + 1)
    for target in 3..<end where descriptors[target] == nil {
      unsafe posix_spawn_file_actions_addclose(&actions, target)
    }
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, end)
    // The child handles signals like a program that a shell starts: no signal is ignored or blocked.
    var all = sigset_t()
    var none = sigset_t()
    unsafe sigfillset(&all)
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    // With its own group, Ctrl-C reaches only this process, and all processes that the child starts can be killed.
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var id = pid_t()
    let status = unsafe Self.withStrings(arguments) { list in
      unsafe Self.withStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
        unsafe posix_spawnp(&id, arguments[0], &actions, &attributes, list, environment)
      }
    }
    guard status == 0 else { throw SystemProblem(number: status) }
    self.id = id
  }

  /// Passes C strings to a closure, as a list that ends with nil.
  private static func withStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe body(&pointers)
  }

  /// Kills the process and its group immediately.
  package func kill() { _ = Glibc.kill(-id, SIGKILL) }

  /// Returns the end of the process; nil while it runs.
  package func poll() -> End? { wait(WNOHANG) }

  /// Waits for the end of the process.
  package func wait() -> End { wait(0) ?? .exit(0) }

  private func wait(_ options: Int32) -> End? {
    var status: Int32 = 0
    while true {
      let ended = unsafe waitpid(id, &status, options)
      if ended < 0, errno == EINTR { continue }
      guard ended == id else { return nil }
      // The macros of <sys/wait.h> are not visible here: the low seven bits are the signal, the next byte is the code.
      let signal = status & 0x7F
      return signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
    }
  }
}

/// An error of the system.
package struct SystemProblem: Error, Hashable {
  package var number: Int32

  package init(number: Int32) { self.number = number }

  /// The system's text for the error.
  package var text: String { unsafe String(cString: strerror(number)) }
}
