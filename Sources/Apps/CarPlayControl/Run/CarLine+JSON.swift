// swift-iap2 · Apache-2.0

import CarPlayPlatform

/// A line as a JSON object. The key `event` names its kind, `time` is in seconds of virtual time.
extension CarLine: Encodable {
  private enum Key: String, CodingKey {
    case event, car, time, file, cut, step, screen, text, ok, failure
  }

  /// Writes the object.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    switch self {
    case .car(let name):
      try values.encode("car", forKey: .event)
      try values.encode(name, forKey: .car)
    case .step(let action, let time):
      try values.encode("step", forKey: .event)
      try values.encode(time, forKey: .time)
      try values.encode(action.description, forKey: .step)
    case .call(let event):
      try values.encode("call", forKey: .event)
      try event.encode(to: encoder)
    case .diagnostic(let report, let time):
      try values.encode("report", forKey: .event)
      try values.encode(time, forKey: .time)
      try report.encode(to: encoder)
    case .screen(let screen, _, let time):
      try values.encode("screen", forKey: .event)
      try values.encode(time, forKey: .time)
      try values.encode(screen, forKey: .screen)
    case .shortened(let file, let texts, let time):
      try values.encode("picture", forKey: .event)
      try values.encode(time, forKey: .time)
      try values.encode(file, forKey: .file)
      try values.encode(texts, forKey: .cut)
    case .ended(let end, let time):
      try values.encode("ended", forKey: .event)
      try values.encode(time, forKey: .time)
      try end.encode(to: encoder)
    case .output(let text):
      try values.encode("output", forKey: .event)
      try values.encode(text, forKey: .text)
    case .finished(let failure, let time):
      try values.encode("finished", forKey: .event)
      try values.encode(failure == nil, forKey: .ok)
      try values.encodeIfPresent(failure, forKey: .failure)
      try values.encode(time, forKey: .time)
    }
  }
}
