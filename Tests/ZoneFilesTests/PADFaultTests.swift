import Testing
import ZoneFiles

/// An invalid row in line 6 of an otherwise valid zone.
private struct Fault: CustomTestStringConvertible {
    let row: String
    let code: FileError.Code
    /// Part of the message.
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
    Fault("Location,x,1,1", .value, "index of Location is not an integer"),
    Fault("Location,2.5,1,1", .value, "index of Location is not an integer"),
    Fault("Location,99999999999,1,1", .value, "index of Location is not an integer"),
    Fault("Location,2,north,1", .value, "not two numbers"),
    Fault("Location,2,nan,1", .value, "not two numbers"),
    Fault("Location,2,1,inf", .value, "not two numbers"),
    Fault("Location,2,0x10,1", .value, "not two numbers"),
    Fault("Location,2,1e999,1", .value, "not two numbers"),
    Fault("Location,2,1", .value, "three values, this one has 2"),
    Fault("Location", .value, "three values, this one has 0"),
    Fault("Location,2,10,5,123,4", .value, "three values, this one has 5"),
    Fault("Location,2,91,1", .range, "latitude is not between -90 and 90"),
    Fault("Location,2,1,-180.1", .range, "longitude is not between -180 and 180"),
    Fault("AlertZoneSize,10", .duplicate, "occurs twice, first in line 4"),
    Fault("AlertZoneName,Other", .duplicate, "occurs twice, first in line 3"),
    Fault("AlertZoneActive,yes", .value, "neither 0 nor 1"),
    Fault("AlertZoneVibrate,2", .value, "neither 0 nor 1"),
    Fault("AlertZonePriority,1.5", .value, "AlertZonePriority is not an integer"),
    Fault("AlertZonePriority,high", .value, "AlertZonePriority is not an integer"),
    Fault("AlertZoneSleepTime,ten", .value, "AlertZoneSleepTime is not a number"),
    Fault("AlertZoneSleepTime,-1", .range, "AlertZoneSleepTime is negative"),
    Fault("AlertZoneInset,3 m", .value, "AlertZoneInset is not a number"),
    Fault("AlertZoneInset,3,5", .value, "AlertZoneInset has too many values"),
    Fault("AlertZoneInset,1e9", .range, "AlertZoneInset exceeds 20,000 km"),
    Fault("AlertDistance,far", .value, "AlertDistance is not a number"),
    Fault("AlertDistance,-5", .range, "AlertDistance is negative"),
    Fault("AlertZoneStart", .misplaced, "inside the zone of line 2"),
    Fault("AlertZoneSoundName,a\u{7}b", .malformed, "control character"),
    Fault("Sound\u{0}", .malformed, "control character"),
    Fault(
        "Long," + String(repeating: "x", count: ZoneLimits.extraCharactersMax), .tooMuch, "too long"
    ),
]

@Suite struct `Errors in a PAD file` {
    private let before = "\nAlertZoneStart\nAlertZoneName,A\nAlertZoneSize,6\nLocation,1,1,1\n"

    @Test(arguments: faults) private func `an invalid row is rejected with its line`(fault: Fault) {
        let good = before + "AlertZoneCategory,c\nAlertZoneEnd\n"
        #expect(rejection(of: good) == nil)
        let error = rejection(of: before + fault.row + "\nAlertZoneEnd\n")
        #expect(error?.code == fault.code)
        #expect(error?.location == .line(6))
        #expect(error?.message.contains(fault.words) == true, "\(error?.message ?? "none")")
        #expect(error?.hint.isEmpty == false)
    }

    @Test(arguments: ["AlertZoneName,A", "AlertZoneEnd", "Location,1,1,1", "Colour,red"])
    func `a row outside a zone is rejected`(row: String) {
        let zone = before + "AlertZoneEnd\n"
        for text in [row + zone, zone + row] {
            let error = rejection(of: text)
            #expect(error?.code == .misplaced)
            #expect(error?.location == .line(text.hasPrefix(row) ? 1 : 7))
        }
    }

    @Test(arguments: [
        ("AlertZoneStart\nLocation,1,1,1\nAlertZoneEnd", "radius of the circle"),
        ("AlertZoneStart\nLocation,1,1,1\nLocation,2,1,2\nAlertZoneEnd", "Give half the width"),
        ("AlertZoneStart\nLocation,1,1,1\nAlertZoneSize,,\nAlertZoneEnd", "radius"),
        ("AlertZoneStart\nAlertZoneSize,5\nAlertZoneEnd", "one for a circle"),
        ("AlertZoneStart\nAlertZoneSize,5\nLocation,1,1,1", "AlertZoneEnd"),
    ])
    func `a missing row is reported with the first line of its zone`(text: String, hint: String) {
        let error = rejection(of: "\n" + text)
        #expect(error?.code == .missing)
        #expect(error?.location == .line(2))
        #expect(error?.hint.contains(hint) == true)
    }

    @Test(arguments: ["0", "-5", "0.001"]) func `a size must be greater than 0`(size: String) {
        let error = rejection(
            of: "AlertZoneStart\nAlertZoneSize,\(size)\nLocation,1,1,1\nAlertZoneEnd")
        #expect(error?.code == .range)
        #expect(error?.location == .line(2))
    }

    @Test func `swapped positions are detected`() {
        let text = "AlertZoneStart\nAlertZoneSize,5\nLocation,1,101.7,3.1\nAlertZoneEnd"
        #expect(rejection(of: text)?.hint.contains("swapped") == true)
    }

    @Test func `an error in the second zone rejects the whole file`() {
        let error = rejection(of: before + "AlertZoneEnd\nAlertZoneStart\nAlertZoneEnd\n")
        #expect(error?.location == .line(7))
    }

    @Test func `errors contain neither positions nor names`() {
        let text = "AlertZoneStart\nAlertZoneName,Secret\nLocation,1,91.234,5\nAlertZoneEnd"
        let report = rejection(of: text).map { "\($0) \($0.hint)" } ?? ""
        #expect(
            report.contains("line 3") && !report.contains("Secret") && !report.contains("91.234"))
    }

    @Test func `rows with unknown keys have a limit`() {
        let many = String(repeating: "Colour,red\n", count: ZoneLimits.extraRowsMax + 1)
        #expect(rejection(of: before + many + "AlertZoneEnd")?.code == .tooMuch)
    }
}
