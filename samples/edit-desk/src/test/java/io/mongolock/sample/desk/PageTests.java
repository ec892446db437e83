package io.mongolock.sample.desk;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;

import io.mongolock.sample.browser.Browsing;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page in a browser, in two windows, on a desktop and on a phone.
 */
@Tag("browser")
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class PageTests {

	private static final int DESKTOP = 1280;

	private static final int PHONE = 390;

	private static Browsing browsing;

	private final List<String> complaints = new ArrayList<>();

	@LocalServerPort
	private int port;

	@Autowired
	private EditDeskProperties properties;

	@Autowired
	private SteppingClock clock;

	@BeforeAll
	static void start() {
		browsing = new Browsing();
		PlaywrightAssertions.setDefaultAssertionTimeout(Browsing.PATIENCE);
	}

	@AfterAll
	static void stop() {
		browsing.close();
	}

	@AfterEach
	void noScriptComplained() {
		browsing.closePages();
		this.clock.step(this.properties.editingTime());
		// a refusal is a line of the console, too
		assertThat(this.complaints).allMatch((complaint) -> complaint.contains("409") || complaint.contains("423"));
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void twoWindowsEditTheSameArticle(int width) {
		Page anna = open(DESKTOP);
		Page ben = open(width);
		begin(anna, "Anna", "Edit|Take over");
		expect(ben.locator("#who")).containsText("Anna edits");
		expect(button(ben, "Edit")).isDisabled();
		anna.getByLabel("Heartbeat").uncheck();
		this.clock.step(this.properties.editingTime());
		expect(ben.locator("#who")).containsText("The time of Anna is over");
		expect(anna.locator("#who")).containsText("Your time is over");
		begin(ben, "Ben", "Take over");
		expect(anna.locator("#who"))
			.containsText("Ben has taken over: what you save now is refused if anything was changed");
		ben.getByLabel("Title").fill("By Ben");
		ben.getByLabel("Text").fill("Second, but in time");
		button(ben, "Save").click();
		expect(anna.locator("#who")).containsText("Somebody has taken over");
		anna.getByLabel("Title").fill("By Anna");
		button(anna, "Save").click();
		expect(anna.locator("#mine")).containsText("By Anna");
		expect(anna.locator("#theirs")).containsText("Second, but in time");
		assertNothingIsTooWide(anna, DESKTOP);
		button(anna, "Keep both").click();
		expect(anna.getByLabel("Text")).hasValue(Pattern.compile("Second, but in time\n\nBy Anna\n\n.*"));
		button(anna, "Cancel").click();
		expect(anna.locator("#read")).containsText("By Ben");
		assertNothingIsTooWide(ben, width);
	}

	@Test
	void theHeartbeatNoticesThatSomebodyTookOver() {
		Page anna = open(PHONE);
		Page ben = open(PHONE);
		begin(anna, "Anna", "Edit|Take over");
		anna.getByLabel("Heartbeat").uncheck();
		this.clock.step(this.properties.editingTime());
		begin(ben, "Ben", "Take over");
		anna.getByLabel("Heartbeat").check();
		expect(anna.locator("#conflict")).isVisible();
		assertNothingIsTooWide(anna, PHONE);
		button(anna, "Go on with theirs").click();
		expect(anna.locator("#read")).isVisible();
		button(ben, "Cancel").click();
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void ordersAreNumberedAndClicksAreCountedByKeyboard(int width) {
		Page page = open(width);
		long before = Long.parseLong(page.locator("#clicks").textContent());
		page.getByLabel("Item").fill("Pencils");
		page.keyboard().press("Enter");
		expect(page.locator("#orders li").first()).containsText("Pencils");
		long first = Long.parseLong(page.locator("#orders b").first().textContent());
		page.getByLabel("Item").fill("Paper");
		page.keyboard().press("Enter");
		expect(page.locator("#orders li").first()).hasText((first + 1) + "Paper");
		button(page, "100 clicks at once").focus();
		page.keyboard().press("Enter");
		expect(page.locator("#clicks")).hasText(String.valueOf(before + 100));
		assertNothingIsTooWide(page, width);
	}

	private Page open(int width) {
		Page page = browsing.open(width, this.complaints::add);
		page.navigate("http://localhost:" + this.port);
		expect(page.locator("#clicks")).not().hasText("…");
		return page;
	}

	private static void begin(Page page, String name, String button) {
		page.getByLabel("Your name").fill(name);
		Locator begin = page.locator("#begin button").first();
		expect(begin).hasText(Pattern.compile(button));
		begin.click();
		expect(page.locator("#who")).containsText("You edit");
	}

	private static void assertNothingIsTooWide(Page page, int width) {
		assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(width);
	}

	private static LocatorAssertions expect(Locator locator) {
		return PlaywrightAssertions.assertThat(locator);
	}

	private static Locator button(Page page, String name) {
		return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Clock {

		@Bean
		SteppingClock clock() {
			return new SteppingClock();
		}

	}

}
