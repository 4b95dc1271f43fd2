import Testing
import ZoneFiles

/// A row that is wrong in a zone that is otherwise good; it stands in line 6.
private struct Fault: CustomTestStringConvertible {
    let row: String
    let code: FileError.Code
    /// Part of what is said.
    let words: String
    var testDescription: String { row }

    init(_ row: String, _ code: FileError.Code, _ words: String) {
        self.row = row
        self.code = code
        self.words = words
    }
}

private let faults: [Fault] = [
    Fault("Location,1,1,1", .duplicate, "two Locations with this index"),
    Fault("Location,+1,1,1", .duplicate, "two Locations with this index"),
    Fault("Location,x,1,1", .value, "index of Location is no whole number"),
    Fault("Location,2.5,1,1", .value, "index of Location is no whole number"),
    Fault("Location,99999999999,1,1", .value, "index of Location is no whole number"),
    Fault("Location,2,north,1", .value, "no pair of numbers"),
    Fault("Location,2,nan,1", .value, "no pair of numbers"),
    Fault("Location,2,1,inf", .value, "no pair of numbers"),
    Fault("Location,2,0x10,1", .value, "no pair of numbers"),
    Fault("Location,2,1e999,1", .value, "no pair of numbers"),
    Fault("Location,2,1", .value, "three values, this one 2"),
    Fault("Location", .value, "three values, this one 0"),
    Fault("Location,2,10,5,123,4", .value, "three values, this one 5"),
    Fault("Location,2,91,1", .range, "latitude goes from -90 to 90"),
    Fault("Location,2,1,-180.1", .range, "longitude goes from -180 to 180"),
    Fault("AlertZoneSize,10", .duplicate, "there twice, first in line 4"),
    Fault("AlertZoneName,Other", .duplicate, "there twice, first in line 3"),
    Fault("AlertZoneActive,yes", .value, "neither 0 nor 1"),
    Fault("AlertZoneVibrate,2", .value, "neither 0 nor 1"),
    Fault("AlertZonePriority,1.5", .value, "AlertZonePriority is no whole number"),
    Fault("AlertZonePriority,high", .value, "AlertZonePriority is no whole number"),
    Fault("AlertZoneSleepTime,ten", .value, "AlertZoneSleepTime is no number"),
    Fault("AlertZoneSleepTime,-1", .range, "AlertZoneSleepTime is negative"),
    Fault("AlertZoneInset,3 m", .value, "AlertZoneInset is no number"),
    Fault("AlertZoneInset,3,5", .value, "AlertZoneInset has more values"),
    Fault("AlertZoneInset,1e9", .range, "AlertZoneInset is more than fits on earth"),
    Fault("AlertDistance,far", .value, "AlertDistance is no number"),
    Fault("AlertDistance,-5", .range, "AlertDistance is negative"),
    Fault("AlertZoneStart", .misplaced, "within the one that began in line 2"),
    Fault("AlertZoneSoundName,a\u{7}b", .malformed, "control character"),
    Fault("Sound\u{0}", .malformed, "control character"),
    Fault(
        "Long," + String(repeating: "x", count: FileLimits.extraCharactersMax), .tooMuch, "too long"
    ),
]

@Suite struct `Faults of a PAD file` {
    private let before = "\nAlertZoneStart\nAlertZoneName,A\nAlertZoneSize,6\nLocation,1,1,1\n"

    @Test(arguments: faults) private func `a wrong row is refused with its line`(fault: Fault) {
        let good = before + "AlertZoneCategory,c\nAlertZoneEnd\n"
        #expect(refusal(of: good) == nil)
        let error = refusal(of: before + fault.row + "\nAlertZoneEnd\n")
        #expect(error?.code == fault.code)
        #expect(error?.place == .line(6))
        #expect(error?.message.contains(fault.words) == true, "\(error?.message ?? "none")")
        #expect(error?.hint.isEmpty == false)
    }

    @Test(arguments: ["AlertZoneName,A", "AlertZoneEnd", "Location,1,1,1", "Colour,red"])
    func `a row outside of a zone is refused`(row: String) {
        let zone = before + "AlertZoneEnd\n"
        for text in [row + zone, zone + row] {
            let error = refusal(of: text)
            #expect(error?.code == .misplaced)
            #expect(error?.place == .line(text.hasPrefix(row) ? 1 : 7))
        }
    }

    @Test(arguments: [
        ("AlertZoneStart\nLocation,1,1,1\nAlertZoneEnd", "radius of the circle"),
        ("AlertZoneStart\nLocation,1,1,1\nLocation,2,1,2\nAlertZoneEnd", "half the width"),
        ("AlertZoneStart\nLocation,1,1,1\nAlertZoneSize,,\nAlertZoneEnd", "radius"),
        ("AlertZoneStart\nAlertZoneSize,5\nAlertZoneEnd", "one for a circle"),
        ("AlertZoneStart\nAlertZoneSize,5\nLocation,1,1,1", "AlertZoneEnd"),
    ])
    func `what is missing is told with the line where its zone begins`(text: String, hint: String) {
        let error = refusal(of: "\n" + text)
        #expect(error?.code == .missing)
        #expect(error?.place == .line(2))
        #expect(error?.hint.contains(hint) == true)
    }

    @Test(arguments: ["0", "-5", "0.001"]) func `a size is more than nothing`(size: String) {
        let error = refusal(
            of: "AlertZoneStart\nAlertZoneSize,\(size)\nLocation,1,1,1\nAlertZoneEnd")
        #expect(error?.code == .range)
        #expect(error?.place == .line(2))
    }

    @Test func `swapped positions are guessed`() {
        let text = "AlertZoneStart\nAlertZoneSize,5\nLocation,1,101.7,3.1\nAlertZoneEnd"
        #expect(refusal(of: text)?.hint.contains("swapped") == true)
    }

    @Test func `a fault in the second zone takes the first one away, too`() {
        let error = refusal(of: before + "AlertZoneEnd\nAlertZoneStart\nAlertZoneEnd\n")
        #expect(error?.place == .line(7))
    }

    @Test func `what is said names neither positions nor names of the file`() {
        let text = "AlertZoneStart\nAlertZoneName,Secret\nLocation,1,91.234,5\nAlertZoneEnd"
        let said = refusal(of: text).map { "\($0) \($0.hint)" } ?? ""
        #expect(said.contains("line 3") && !said.contains("Secret") && !said.contains("91.234"))
    }

    @Test func `rows with unknown keys have a limit`() {
        let many = String(repeating: "Colour,red\n", count: FileLimits.extraRowsMax + 1)
        #expect(refusal(of: before + many + "AlertZoneEnd")?.code == .tooMuch)
    }
}
