"""Settings of feeds."""

import pytest

from rarefy.tasks.refresh.feeds.config import EdgarConfig, FeedsConfig, WebhookConfig


@pytest.mark.parametrize("folder", ["../x", "/etc", "a/../b", ".hidden", "a/.b", "", "a//b", "a\\b", "a/", "a\n"])
def test_arrivals_stay_within_the_corpus(folder):
    with pytest.raises(ValueError, match="folder"):
        WebhookConfig(folder=folder)


def test_arrivals_may_have_a_folder_of_a_folder():
    assert WebhookConfig(folder="from/partners").folder == "from/partners"


@pytest.mark.parametrize("since", ["2024", "yesterday", "2024-02-30", "01/02/2024"])
def test_since_is_a_day(since):
    with pytest.raises(ValueError, match="since"):
        EdgarConfig(since=since)


def test_without_settings_nothing_is_fetched_from_anywhere():
    feeds = FeedsConfig()
    assert feeds.edgar.user_agent == "" and feeds.edgar.companies == () and feeds.webhook.origins == ()


def test_no_benchmark_hangs_on_how_documents_come():
    from rarefy.flows.config import OF_EVALUATION, Config

    assert "feeds" in Config.model_fields and "feeds" in OF_EVALUATION
