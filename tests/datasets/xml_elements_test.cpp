// Tests the reading of XML as tools for annotation write it.
#include "datasets/xml_elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"

namespace detent {
namespace {

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_xml(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    return error.what();
  }
  return "";
}

TEST(ParseXml, GivesElementsWithTextAndLine) {
  const XmlElement root = parse_xml(
      "<?xml version=\"1.0\"?>\n<!-- a <remark> -->\n<annotation verified='yes'>\n\t<empty/>\n\t<size >\r\n\t\t"
      "<width> 40 </width></size>\n<name>R&amp;D &lt;1&gt; &amp;lt; &#252;</name></annotation>\n");
  EXPECT_EQ(root.name, "annotation");
  EXPECT_EQ(root.line, 3U);
  ASSERT_EQ(root.below.size(), 3U);
  EXPECT_EQ(root.get("empty").text, "");
  EXPECT_EQ(root.get("size").get("width").text, "40");
  EXPECT_EQ(root.get("size").get("width").line, 6U);
  EXPECT_EQ(root.get("name").text, "R&D <1> &lt; &#252;") << "entities with a number stay as they are";
  EXPECT_EQ(root.find("width"), nullptr) << "not below the root itself";
}

TEST(ParseXml, NamesTheLineOfWhatIsNoXml) {
  EXPECT_EQ(refusal(""), "line 1: an element is expected here");
  EXPECT_EQ(refusal("class 1 2"), "line 1: an element is expected here");
  EXPECT_EQ(refusal("<a>\n<b>1</c>\n</a>"), "line 2: <b> is not closed");
  EXPECT_EQ(refusal("<a>\n<b>1</b>\n"), "line 3: an element is expected here");
  EXPECT_EQ(refusal("<a>\n</a>\n<b/>"), "line 3: something follows the last end tag");
  EXPECT_EQ(refusal("<a>\n<b"), "line 2: '>' is missing");
  EXPECT_EQ(refusal("<a <b></b></a>"), "line 1: a tag has no name or no end");
  EXPECT_EQ(refusal("<a><></></a>"), "line 1: a tag has no name or no end");
  EXPECT_EQ(refusal("<a>\n<!-- open"), "line 2: '-->' is missing");
  EXPECT_EQ(refusal("<!DOCTYPE a [<!ENTITY b 'cc'>]><a>&b;</a>"), "line 1: an element is expected here");
  EXPECT_EQ(refusal("<a><![CDATA[b]]></a>"), "line 1: an element is expected here");
}

TEST(ParseXml, RefusesDeepNesting) {
  const auto nested = [](size_t depth) {
    std::string text;
    for (size_t i = 0; i < depth; ++i) text += "<a>";
    for (size_t i = 0; i < depth; ++i) text += "</a>";
    return text;
  };
  EXPECT_EQ(refusal(nested(33)), "");
  EXPECT_EQ(refusal(nested(34)), "line 1: an element is expected here");
}

TEST(XmlElement, NamesWhatItLacks) {
  try {
    static_cast<void>(parse_xml("<a>\n<box/></a>").get("box").get("xmin"));
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "line 2: <box> has no <xmin>");
  }
}

}  // namespace
}  // namespace detent
