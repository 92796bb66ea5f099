// swift-iap2 · Apache-2.0

/// The files of the page in the program.
enum PageFiles {
  static let all: [(name: String, bytes: [UInt8])] = [
    ("car.js", PackageResources.car_js),
    ("decoder.js", PackageResources.decoder_js),
    ("detail.js", PackageResources.detail_js),
    ("dom.js", PackageResources.dom_js),
    ("failures.js", PackageResources.failures_js),
    ("faults.js", PackageResources.faults_js),
    ("film.js", PackageResources.film_js),
    ("forms.js", PackageResources.forms_js),
    ("index.html", PackageResources.index_html),
    ("keys.js", PackageResources.keys_js),
    ("lab.css", PackageResources.lab_css),
    ("ladder.js", PackageResources.ladder_js),
    ("lines.js", PackageResources.lines_js),
    ("main.js", PackageResources.main_js),
    ("messages.js", PackageResources.messages_js),
    ("notes.js", PackageResources.notes_js),
    ("panels.js", PackageResources.panels_js),
    ("parts.js", PackageResources.parts_js),
    ("phone.js", PackageResources.phone_js),
    ("record.js", PackageResources.record_js),
    ("recorder.js", PackageResources.recorder_js),
    ("source.js", PackageResources.source_js),
    ("still.js", PackageResources.still_js),
    ("time.js", PackageResources.time_js),
    ("verbs.js", PackageResources.verbs_js),
  ]
}
