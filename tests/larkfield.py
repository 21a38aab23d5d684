"""Annual reports of one company, made by hand: as it filed them, amended them, and restated them a year later."""

from collections.abc import Sequence

Rows = Sequence[tuple[str, tuple[str, str]]]

HEADER = """<SEC-DOCUMENT>report.txt
<SEC-HEADER>
CONFORMED SUBMISSION TYPE:\t{form}
CONFORMED PERIOD OF REPORT:\t{year}1231
FILED AS OF DATE:\t\t{filed}
FILER:
\tCOMPANY DATA:
\t\tCOMPANY CONFORMED NAME:\t\t\tLARKFIELD ROBOTICS INC
\t\tCENTRAL INDEX KEY:\t\t\t0000999001
</SEC-HEADER>
"""
BODY = """<html><body>
<p>UNITED STATES SECURITIES AND EXCHANGE COMMISSION</p><p>Washington, D.C. 20549</p>
<p>FORM {form}</p>
<p>ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934</p>
<p>For the fiscal year ended December 31, {year}</p><p>Commission File Number: 001-99901</p>
<p>Larkfield Robotics Inc.</p><p>(Exact name of registrant as specified in its charter)</p>
<p>Delaware</p><p>(State or other jurisdiction of incorporation)</p>
<p>100 Canal Street, {city}, Ohio 45402</p><p>(Address of principal executive offices)</p>
<h2>Item 1. Business</h2>
<p>Larkfield Robotics Inc. makes drives for elevator makers in North America and Europe. {more}</p>
<h2>Information about our Executive Officers</h2>
<table><tr><td>Name</td><td>Age</td><td>Position</td></tr>
<tr><td>{chief}</td><td>52</td><td>Chief Executive Officer</td></tr>
<tr><td>Ruth Calder</td><td>47</td><td>Chief Financial Officer</td></tr></table>
<h2>Item 8. Financial Statements</h2>
<p>Consolidated Statements of Operations (In millions)</p>
<table><tr><td></td><td colspan="2">Year Ended December 31,</td></tr>
<tr><td>(In millions)</td><td>{year}</td><td>{before}</td></tr>{rows}</table>
<p>The accompanying notes are an integral part of these statements.</p>
</body></html>"""


def report(
    form: str, year: int, rows: Rows, filed: str = "", chief: str = "Mara Voss", city: str = "Dayton", more: str = ""
) -> str:
    """An annual report; without `filed` ("20240215") it has no header of the SEC's, and so no date."""
    cells = "".join(f"<tr><td>{label}</td><td>{now}</td><td>{then}</td></tr>" for label, (now, then) in rows)
    body = BODY.format(form=form, year=year, before=year - 1, rows=cells, chief=chief, city=city, more=more)
    return (HEADER.format(form=form, year=year, filed=filed) if filed else "") + body
