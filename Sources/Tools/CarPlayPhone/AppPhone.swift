// swift-iap2 · Apache-2.0

package import CarPlayControl
import CarPlayDrawing
package import CarPlayPlatform
import CarPlayPrograms
package import CarPlaySession
import Foundation
import Glibc
package import IAP2Roles
import IAP2Transport
import Synchronization

/// A phone with apps in a session: it encodes the changes of its screen for the head unit, and passes the driver's input
/// to the apps.
///
/// A thread of the phone drives the apps, because their answers block it.
package final class AppPhone: Sendable {
  /// A program of an app.
  package struct Program: Sendable {
    /// The path of the executable.
    package var executable: String
    /// Its arguments.
    package var arguments: [String]

    /// The name of the file.
    var name: String { URL(filePath: executable).lastPathComponent }

    package init(_ executable: String, arguments: [String] = []) {
      (self.executable, self.arguments) = (executable, arguments)
    }
  }

  /// - Throws: A failure if the program that draws is missing.
  package static func checkDrawing() throws(CarFailure) {
    do { try DrawingProgram.check() } catch { throw CarFailure(error) }
  }

  /// Whether the program that draws is built.
  package static var canDraw: Bool { DrawingProgram.isThere }

  /// Receives the output of the apps, on their thread.
  package struct Output: Sendable {
    /// Receives a line of an app, and the name of its program if there are several.
    package var show: @Sendable (CarLine, _ program: String?) -> Void
    /// Receives a note for the user.
    package var note: @Sendable (String) -> Void

    package init(
      show: @escaping @Sendable (CarLine, _ program: String?) -> Void, note: @escaping @Sendable (String) -> Void
    ) {
      (self.show, self.note) = (show, note)
    }
  }

  /// Work of a phone for its session.
  package enum Work: Sendable {
    /// Shows a picture on a screen. The receiver calls ``AppPhone/taken(_:isSent:)`` later.
    case show(AppPicture, StreamType)
    /// Requests the screen, the speakers and the app states.
    case change([ModeRequest])
    /// Sends a command to the head unit.
    case send(SessionCommand)
    /// Speaks words that an app begins to speak.
    case say(PhoneActivity.Speech)
    /// Plays these sounds from now on, and no others.
    case play(PhoneSounds)
    /// Reports song, route and calls to the head unit over iAP2, after an earlier report.
    case report(AppReport, after: AppReport?)
  }

  private let programs: [Program]
  private let link: CarLink
  private let stop = StopRequest()
  private let queue: PhoneQueue
  private let output: Output
  private let times = Mutex(PictureTimes())
  /// The sound of the microphone that the apps do not have yet.
  private let heard = Mutex<[UInt8]>([])

  /// Prepares a phone. ``run(_:)`` starts the apps.
  ///
  /// - Parameters:
  ///   - programs: The apps. The only one opens by itself; several are icons of the home screen. Without apps the phone
  ///     shows its own screens alone.
  ///   - link: The connection with the car. A cable charges the phone.
  /// - Throws: A failure if the system refuses a pipe.
  package init(_ programs: [Program], link: CarLink, output: Output) throws(CarFailure) {
    (self.programs, self.link, self.output) = (programs, link, output)
    do { queue = try PhoneQueue() } catch { throw CarFailure(.system, "the system refuses a pipe: \(error.text)") }
  }

  /// Takes an event of the session, on any thread.
  package func take(_ event: CarPlaySession.SessionEvent) {
    switch event {
    case .info(let info): queue.add(.info(info))
    case .input(_, let input): queue.add(.input(input, .now))
    case .command(let command, _, from: .headUnit): queue.add(.command(command))
    case .stream(let type, let state, _) where type.family == .screen:
      queue.add(.screen(type, isRunning: state == .running))
    case .state(.live): queue.add(.live)
    case .modes(let modes):
      queue.add(.modes(isShown: modes.screen.user == .phone, hasSpeakers: modes.mainAudio.isPhones))
    case .ended: end()
    default: break
    }
  }

  /// Makes the next picture of the main screen one that stands alone, on any thread.
  package func requestKeyFrame() { queue.add(.command(.forceKeyFrame(uuid: nil))) }

  /// Takes a request that the head unit made over iAP2, on any thread.
  package func take(_ request: PhoneRequest) { queue.add(.request(request)) }

  /// Takes the position of the car, on any thread.
  package func take(_ location: LocationReading) { queue.add(.location(location)) }

  /// Takes samples of the car's microphone on any thread: 48 kHz, one channel.
  package func hear(_ samples: [Int16]) {
    let bytes = heard.withLock { heard -> [UInt8]? in
      heard += SoundMixer.bytes(samples)
      guard heard.count >= Self.heardByteCount else { return nil }
      defer { heard = [] }
      return heard
    }
    if let bytes { queue.add(.microphone(bytes)) }
  }

  /// The size in bytes of the sound that apps get at once: a tenth of a second, as the buffers of their taps.
  private static let heardByteCount = 9600

  /// The time that the apps have for their end.
  private static let endSeconds = 3.0

  /// Ends the apps. An app that hangs is killed.
  package func end() {
    queue.add(.end)
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.endSeconds) { [stop] in stop.make() }
  }

  /// Reports that the last picture of a screen was sent, or that it was dropped. The next picture waits for it.
  package func taken(_ type: StreamType, isSent: Bool) { queue.add(.taken(type, isSent: isSent)) }

  /// The number of the driver's inputs that came faster than the apps took them, and were lost.
  package var lostInputCount: Int { queue.lost }

  /// The times of the pictures.
  package var pictureTimes: PictureTimes { times.withLock { $0 } }

  /// Runs the apps until the session ends.
  ///
  /// - Parameter receive: Receives the work for the session on the phone's thread.
  /// - Returns: The reason why the phone cannot go on; nil at the end of the session.
  package func run(_ receive: @escaping @Sendable (Work) -> Void) async -> CarFailure? {
    await withCheckedContinuation { (ended: CheckedContinuation<CarFailure?, Never>) in
      let isStarted = canStartThread("iap2-phone") { [self] in
        do throws(CarFailure) {
          try play(receive)
          ended.resume(returning: nil)
        } catch { ended.resume(returning: error) }
      }
      if !isStarted { ended.resume(returning: CarFailure(.system, "the system starts no thread")) }
    }
  }

  private func play(_ receive: (Work) -> Void) throws(CarFailure) {
    let apps = try PhoneApps(programs, link: link, stop: stop, output: output)
    let program: DrawingProgram
    do { program = try DrawingProgram() } catch { throw CarFailure(error) }
    var screen = PhoneScreen(apps, program, stop)
    defer { screen.finish() }
    while true {
      for report in queue.take() where try !screen.take(report) { return }
      if let (now, before) = screen.nextActivity() {
        let requests = now.requests(after: before)
        if !requests.isEmpty { receive(.change(requests)) }
      }
      for words in screen.nextSpeech() { receive(.say(words)) }
      if screen.takeWishForCar() { receive(.send(.requestUI(url: nil))) }
      if let sounds = screen.nextSounds() { receive(.play(sounds)) }
      if let (now, before) = screen.nextReport() { receive(.report(now, after: before)) }
      if let (picture, film, reaction) = try screen.nextPicture() {
        times.withLock { $0.add(drawing: film.drawingTime, encoding: film.encodingTime, reaction: reaction) }
        receive(.show(picture, .screen))
      }
      if let picture = try screen.nextClusterPicture() { receive(.show(picture, .alternateScreen)) }
      try screen.wait(queue.descriptor)
    }
  }
}

extension ModeSnapshot.Holder {
  /// Whether the phone has the resource for itself, and does not only borrow it from the head unit.
  fileprivate var isPhones: Bool { user == .phone && owner == .phone }
}
