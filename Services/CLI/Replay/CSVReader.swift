import Foundation
import Model

/// Points of a CSV file with a head line that names the columns, `lat,lng,datetime,uid`. Times are
/// `2008-10-23 05:53:05` in UTC, or RFC 3339.
enum CSVReader {
    static func read(_ data: Data, path: String, user: String?) throws(CommandError) -> Track {
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let head = lines.first, let columns = Columns(head) else {
            throw CommandError(
                "\(path): its first line does not name the columns",
                hint: "it must be: lat,lng,datetime,uid (uid may be left out)")
        }
        var points: [Track.Point] = []
        var users: Set<Substring> = []
        for (index, line) in lines.dropFirst().enumerated() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            guard let point = columns.point(cells) else {
                throw CommandError("\(path): line \(index + 2) is no point: \(line.prefix(80))")
            }
            if let owner = columns.user(cells) {
                users.insert(owner)
                if let user, owner != user { continue }
            }
            points.append(point)
        }
        if user == nil, users.count > 1 {
            throw CommandError(
                "\(path) holds points of \(users.count) people",
                hint: "choose one with --user, such as --user \(users.min() ?? "")")
        }
        return Track(points: points)
    }

    private struct Columns {
        private let latitude: Int
        private let longitude: Int
        private let time: Int?
        private let owner: Int?

        init?(_ head: Substring) {
            let names = head.split(separator: ",", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " \"\u{FEFF}")).lowercased()
            }
            func index(_ known: String...) -> Int? { names.firstIndex(where: known.contains) }
            guard let latitude = index("lat", "latitude"),
                let longitude = index("lng", "lon", "longitude")
            else { return nil }
            self.latitude = latitude
            self.longitude = longitude
            time = index("datetime", "time", "timestamp")
            owner = index("uid", "user")
        }

        func point(_ cells: [Substring]) -> Track.Point? {
            guard cells.indices.contains(latitude), cells.indices.contains(longitude),
                let north = Double(cells[latitude]), let east = Double(cells[longitude]),
                Coordinate(latitude: north, longitude: east) != nil
            else { return nil }
            var point = Track.Point(latitude: north, longitude: east)
            if let time, cells.indices.contains(time) {
                point.time = Timestamp(cells[time]) ?? Timestamp(cells[time] + "Z")
            }
            return point
        }

        func user(_ cells: [Substring]) -> Substring? {
            owner.flatMap { cells.indices.contains($0) ? cells[$0] : nil }
        }
    }
}
