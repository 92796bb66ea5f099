// swift-iap2 · Apache-2.0

#if Bluetooth
  import CDBus

  /// A connection to the system's D-Bus. Only one thread may use it.
  ///
  /// It uses libdbus, whose iterators Swift can call.
  @safe package final class SystemBus {
    /// The time limit of an answer. Daemons answer within milliseconds, but this program must not hang when one hangs.
    package static let answerTimeoutMilliseconds: Int32 = 10_000
    /// The largest message that is accepted, in bytes. A machine with a thousand known devices sends about 500 KiB.
    private static let maximumMessageByteCount = 1 << 23

    private let connection: OpaquePointer

    /// Connects to a bus.
    ///
    /// - Parameter address: The address of a bus in the notation of the D-Bus specification; nil selects the system
    ///   bus.
    package init(address: String? = nil) throws(BusFailure) {
      var error = unsafe DBusError()
      unsafe dbus_error_init(&error)
      let opened =
        if let address { unsafe dbus_connection_open_private(address, &error) } else {
          unsafe dbus_bus_get_private(DBUS_BUS_SYSTEM, &error)
        }
      guard let connection = unsafe opened else { throw unsafe Self.failure(&error) }
      if address != nil, unsafe dbus_bus_register(connection, &error) == 0 {
        unsafe dbus_connection_close(connection)
        unsafe dbus_connection_unref(connection)
        throw unsafe Self.failure(&error)
      }
      unsafe self.connection = connection
      unsafe dbus_connection_set_exit_on_disconnect(connection, 0)
      unsafe dbus_connection_set_max_message_size(connection, Self.maximumMessageByteCount)
    }

    deinit {
      unsafe dbus_connection_close(connection)
      unsafe dbus_connection_unref(connection)
    }

    private static func failure(_ error: inout DBusError) -> BusFailure {
      defer { unsafe dbus_error_free(&error) }
      let name = unsafe error.name.map { unsafe String(cString: $0) } ?? ""
      return BusFailure(name: name, text: unsafe error.message.map { unsafe String(cString: $0) } ?? "")
    }

    // MARK: Calls

    /// Calls a method of a service that runs, and waits for its answer.
    @discardableResult
    package func call(
      _ member: String, of interface: String, at path: String, to name: String, _ arguments: [BusArgument] = [],
      timeoutMilliseconds: Int32 = answerTimeoutMilliseconds
    ) throws(BusFailure) -> [BusValue] {
      guard let call = unsafe dbus_message_new_method_call(name, path, interface, member) else { throw Self.noMemory }
      defer { unsafe dbus_message_unref(call) }
      // An absent service must be reported, not started.
      unsafe dbus_message_set_auto_start(call, 0)
      var iterator = unsafe DBusMessageIter()
      unsafe dbus_message_iter_init_append(call, &iterator)
      for argument in arguments { unsafe Self.append(argument, &iterator) }
      var error = unsafe DBusError()
      unsafe dbus_error_init(&error)
      let answered = unsafe dbus_connection_send_with_reply_and_block(
        connection, call, timeoutMilliseconds, &error)
      guard let answer = unsafe answered else { throw unsafe Self.failure(&error) }
      defer { unsafe dbus_message_unref(answer) }
      return unsafe Self.arguments(answer)
    }

    /// Subscribes to the signals that match a rule.
    package func watch(_ rule: String) throws(BusFailure) {
      try call(
        "AddMatch", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus", [.text(rule)])
    }

    private static let noMemory = BusFailure(name: "org.freedesktop.DBus.Error.NoMemory", text: "no memory")

    // MARK: Incoming messages

    /// The file descriptor that becomes readable when a message arrives; -1 if there is none.
    package var descriptor: Int32 {
      var descriptor: Int32 = -1
      return unsafe dbus_connection_get_unix_fd(connection, &descriptor) != 0 ? descriptor : -1
    }

    /// Whether messages were already read together with an awaited answer. The descriptor does not become readable for
    /// them.
    package var hasQueued: Bool { unsafe dbus_connection_get_dispatch_status(connection) != DBUS_DISPATCH_COMPLETE }

    package var isConnected: Bool { unsafe dbus_connection_get_is_connected(connection) != 0 }

    /// Handles all received messages without waiting. Each method call is answered with the result of `answer`: nil for
    /// success, or the name of an error.
    package func take(_ answer: (BusMessage) -> String?) {
      unsafe dbus_connection_read_write(connection, 0)
      while let message = unsafe dbus_connection_pop_message(connection) {
        defer { unsafe dbus_message_unref(message) }
        let kind = unsafe dbus_message_get_type(message)
        guard kind == DBUS_MESSAGE_TYPE_METHOD_CALL || kind == DBUS_MESSAGE_TYPE_SIGNAL else { continue }
        let refusal = answer(
          BusMessage(
            path: unsafe Self.text(dbus_message_get_path(message)),
            interface: unsafe Self.text(dbus_message_get_interface(message)),
            member: unsafe Self.text(dbus_message_get_member(message)), arguments: unsafe Self.arguments(message)))
        guard kind == DBUS_MESSAGE_TYPE_METHOD_CALL else { continue }
        let made =
          unsafe refusal.map { unsafe dbus_message_new_error(message, $0, nil) }
          ?? dbus_message_new_method_return(message)
        guard let reply = unsafe made else { continue }
        unsafe dbus_connection_send(connection, reply, nil)
        unsafe dbus_message_unref(reply)
      }
      unsafe dbus_connection_flush(connection)
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
      unsafe text.map { unsafe String(cString: $0) } ?? ""
    }
  }

  // MARK: Values

  extension SystemBus {
    /// The type codes of the D-Bus specification. libdbus defines them as macros that Swift cannot import.
    private enum Code {
      static let byte = code("y"), boolean = code("b"), int16 = code("n"), uint16 = code("q"), int32 = code("i")
      static let uint32 = code("u"), int64 = code("x"), uint64 = code("t"), double = code("d"), string = code("s")
      static let path = code("o"), signature = code("g"), descriptor = code("h"), array = code("a")
      static let variant = code("v"), structure = code("r"), entry = code("e")

      static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }
    }

    private static func append(_ argument: BusArgument, _ iterator: inout DBusMessageIter) {
      switch argument {
      case .text(let text): unsafe append(text, Code.string, &iterator)
      case .path(let path): unsafe append(path, Code.path, &iterator)
      case .int32(var number): unsafe dbus_message_iter_append_basic(&iterator, Code.int32, &number)
      case .uint32(var number): unsafe dbus_message_iter_append_basic(&iterator, Code.uint32, &number)
      case .uint16(var number): unsafe dbus_message_iter_append_basic(&iterator, Code.uint16, &number)
      case .strings(let strings):
        var list = unsafe DBusMessageIter()
        unsafe dbus_message_iter_open_container(&iterator, Code.array, "ay", &list)
        for string in strings {
          var bytes = unsafe DBusMessageIter()
          unsafe dbus_message_iter_open_container(&list, Code.array, "y", &bytes)
          for var byte in string { unsafe dbus_message_iter_append_basic(&bytes, Code.byte, &byte) }
          unsafe dbus_message_iter_close_container(&list, &bytes)
        }
        unsafe dbus_message_iter_close_container(&iterator, &list)
      case .options(let options):
        var list = unsafe DBusMessageIter()
        unsafe dbus_message_iter_open_container(&iterator, Code.array, "{sv}", &list)
        for (key, option) in options {
          var entry = unsafe DBusMessageIter()
          unsafe dbus_message_iter_open_container(&list, Code.entry, nil, &entry)
          unsafe append(key, Code.string, &entry)
          unsafe append(option, &entry)
          unsafe dbus_message_iter_close_container(&list, &entry)
        }
        unsafe dbus_message_iter_close_container(&iterator, &list)
      }
    }

    private static func append(_ option: BusArgument.Option, _ entry: inout DBusMessageIter) {
      var variant = unsafe DBusMessageIter()
      switch option {
      case .text(let text):
        unsafe dbus_message_iter_open_container(&entry, Code.variant, "s", &variant)
        unsafe append(text, Code.string, &variant)
      case .number(var number):
        unsafe dbus_message_iter_open_container(&entry, Code.variant, "q", &variant)
        unsafe dbus_message_iter_append_basic(&variant, Code.uint16, &number)
      case .boolean(let value):
        var number: dbus_bool_t = value ? 1 : 0
        unsafe dbus_message_iter_open_container(&entry, Code.variant, "b", &variant)
        unsafe dbus_message_iter_append_basic(&variant, Code.boolean, &number)
      }
      unsafe dbus_message_iter_close_container(&entry, &variant)
    }

    private static func append(_ text: String, _ code: Int32, _ iterator: inout DBusMessageIter) {
      unsafe text.withCString { pointer in
        var pointer = unsafe pointer
        unsafe dbus_message_iter_append_basic(&iterator, code, &pointer)
      }
    }

    private static func arguments(_ message: OpaquePointer) -> [BusValue] {
      var iterator = unsafe DBusMessageIter()
      guard unsafe dbus_message_iter_init(message, &iterator) != 0 else { return [] }
      return unsafe values(&iterator)
    }

    /// libdbus has checked the message, so containers are nested at most 64 deep.
    private static func values(_ iterator: inout DBusMessageIter) -> [BusValue] {
      var values: [BusValue] = []
      while unsafe dbus_message_iter_get_arg_type(&iterator) != 0 {
        values.append(unsafe value(&iterator))
        unsafe dbus_message_iter_next(&iterator)
      }
      return values
    }

    private static func value(_ iterator: inout DBusMessageIter) -> BusValue {
      let code = unsafe dbus_message_iter_get_arg_type(&iterator)
      switch code {
      case Code.array, Code.structure, Code.variant, Code.entry: return unsafe container(&iterator, code)
      default: break
      }
      var basic = unsafe DBusBasicValue()
      unsafe dbus_message_iter_get_basic(&iterator, &basic)
      return switch code {
      case Code.string, Code.path, Code.signature: .text(unsafe text(basic.str))
      case Code.boolean: .boolean(unsafe basic.bool_val != 0)
      case Code.byte: .number(unsafe Int64(basic.byt))
      case Code.int16: .number(unsafe Int64(basic.i16))
      case Code.uint16: .number(unsafe Int64(basic.u16))
      case Code.int32: .number(unsafe Int64(basic.i32))
      case Code.uint32: .number(unsafe Int64(basic.u32))
      case Code.int64: .number(unsafe Int64(basic.i64))
      case Code.uint64: .number(unsafe Int64(bitPattern: UInt64(basic.u64)))
      case Code.double: .real(unsafe basic.dbl)
      case Code.descriptor: .descriptor(unsafe basic.fd)
      default: .list([])
      }
    }

    private static func container(_ iterator: inout DBusMessageIter, _ code: Int32) -> BusValue {
      let isDictionary = unsafe code == Code.array && dbus_message_iter_get_element_type(&iterator) == Code.entry
      var inner = unsafe DBusMessageIter()
      unsafe dbus_message_iter_recurse(&iterator, &inner)
      let values = unsafe values(&inner)
      if code == Code.variant, let value = values.first { return value }
      guard isDictionary else { return .list(values) }
      var dictionary: [String: BusValue] = [:]
      for entry in values {
        if entry.list.count == 2, let key = entry.list[0].text { dictionary[key] = entry.list[1] }
      }
      return .dictionary(dictionary)
    }
  }
#endif
