package io.mongolock.sample.browser;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;

/**
 * The browser that is installed, without a window, for the tests of the samples' pages.
 */
public final class Browsing implements AutoCloseable {

	private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

	private static final int HEIGHT = 844;

	/** How long a page is waited for, in milliseconds. */
	public static final double PATIENCE = 120_000;

	// Without a sandbox, which root has none of, and without requests of its own
	private static final List<String> ARGUMENTS = List.of("--headless", "--no-sandbox", "--disable-gpu",
			"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
			"--disable-sync");

	private final Playwright playwright = Playwright
		.create(new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));

	private final Browser browser = this.playwright.chromium()
		.launch(new BrowserType.LaunchOptions().setExecutablePath(CHROMIUM).setArgs(ARGUMENTS));

	/**
	 * Open an empty page.
	 * @param width of the screen; a narrow one is a phone's
	 * @param complaints hears each error and warning of the scripts
	 * @return the page
	 */
	public Page open(int width, Consumer<String> complaints) {
		Page page = this.browser.newPage(new Browser.NewPageOptions().setViewportSize(width, HEIGHT));
		page.setDefaultTimeout(PATIENCE);
		page.onPageError(complaints);
		page.onConsoleMessage((message) -> {
			if (List.of("warning", "error").contains(message.type())) {
				complaints.accept(message.text());
			}
		});
		return page;
	}

	/**
	 * Close all pages, which would keep the machine busy with their looks at the server.
	 */
	public void closePages() {
		List.copyOf(this.browser.contexts()).forEach(BrowserContext::close);
	}

	@Override
	public void close() {
		this.playwright.close();
	}

}
