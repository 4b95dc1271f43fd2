extension RoundTrip {
    /// Valid inputs for every format and feature, for tests and as seeds of the fuzzer.
    static let samples: [[UInt8]] = [
        input(
            .pad,
            "AlertZoneStart,,,\r\nAlertZoneName,Home, sweet\nAlertZoneCategory,c\n"
                + "AlertZoneActive,0\nAlertZoneVibrate,1\nAlertZonePriority,-3\n"
                + "AlertZoneSleepTime,90.5\nAlertZoneSize,60.0\nAlertZoneInset,-30\n"
                + "AlertDistance,200\nAlertZoneSoundName,s\nX,1,,2\nLocation,1,10.5,123.4\n"
                + "AlertZoneEnd,\n"),
        input(
            .pad,
            "AlertZoneStart\nLocation,2,1,1\nLocation,1,-1,-1e1\nLocation,3,2,3\nAlertZoneEnd\n"
                + "AlertZoneStart\nAlertZoneSize,5\nLocation,2,1,1\nLocation,1,1,2\nAlertZoneEnd"),
        [Form.pad.rawValue, 0xFF, 0xFE]
            + "AlertZoneStart\nAlertZoneSize,5\nLocation,1,1,1\nAlertZoneEnd\n".utf16.flatMap {
                [UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8]
            },
        input(.pad, "AlertZoneStart\nAlertZoneName,Caf") + [0xE9, 0x80]
            + Array("\nAlertZoneSize,5\nLocation,1,1,1\nAlertZoneEnd\n".utf8),
        input(
            .geojson,
            #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"#
                + #""Point","coordinates":[101.7,3.1]},"properties":{"name":"n","kind":"alert","#
                + #""category":"c","active":true,"priority":3,"radius":150,"hysteresis":5,"#
                + #""transitions":["enter","dwell"],"inset":-0.5,"alertDistance":9,"dwell":60,"#
                + #""alarm":{"vibrate":false,"sound":"S","cycle":30,"sleep":9},"extra":["a"]}},"#
                + #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[0,0],[1,1]]}"#
                + #","properties":{"width":5,"x":1}}]}"#),
        input(
            .geojson,
            #"{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]],"#
                + #"[[0,0],[1,0],[1,1],[0,0]]],[[[0,0],[1,0,3],[1,1],[0,0]]]]}"#),
        input(
            .gpx,
            #"<?xml version="1.0"?><gpx><wpt lat="45.5" lon="14"><name>W &amp; <![CDATA[<t>]]>"#
                + #"</name><type>t</type></wpt><wpt lat="1" lon="2"><x:Proximity>5</x:Proximity>"#
                + "</wpt></gpx>"),
        input(
            .kml,
            "<kml><Placemark><name>A</name><MultiGeometry><Polygon><outerBoundaryIs><LinearRing>"
                + "<coordinates>0,0 1,0,5\n1,1 0,0</coordinates></LinearRing></outerBoundaryIs>"
                + "<innerBoundaryIs><LinearRing><coordinates>0,0 1,0 1,1 0,0</coordinates>"
                + "</LinearRing></innerBoundaryIs></Polygon></MultiGeometry></Placemark>"
                + "<Placemark><Point><coordinates>2,1</coordinates></Point></Placemark></kml>"),
        input(
            .gpxTrack,
            #"<gpx><trk><trkseg><trkpt lat="1" lon="2"><time>2026-11-20T10:20:00Z</time>"#
                + "<ele>1</ele><speed>2</speed><course>3</course><hdop>1.5</hdop></trkpt></trkseg>"
                + #"</trk><rte><rtept lat="1" lon="2"/></rte></gpx>"#),
        input(
            .csvTrack,
            "lat,lon,time,accuracy,speed,course,alt,uid\n1,2,2026-11-20 10:20:00,5,1,90,3,a\n"
                + "1,2,1795170000,,,,,\n1,2,1795170000000\n"),
    ]
}
