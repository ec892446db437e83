package io.mongolock.jobs;

import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/**
 * Forgets the runs in memory after each test method, because the locks in memory are
 * freed then, too.
 */
class JobsTestListener implements TestExecutionListener, Ordered {

	private static final String ANNOTATION = "io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest";

	@Override
	public int getOrder() {
		return 3900;
	}

	@Override
	public void afterTestMethod(TestContext test) {
		boolean keeps = MergedAnnotations.search(SearchStrategy.TYPE_HIERARCHY)
			.withEnclosingClasses(TestContextAnnotationUtils::searchEnclosingClass)
			.from(test.getTestClass())
			.get(ANNOTATION)
			.getValue("reset", Boolean.class)
			.map((reset) -> !reset)
			.orElse(false);
		if (!keeps && test.hasApplicationContext()) {
			ApplicationContext context = test.getApplicationContext();
			context.getBeanProvider(MemoryJobRuns.class).ifAvailable((runs) -> {
				runs.clear();
				context.getBean(JobRegistry.class).all().forEach(Job::reset);
			});
		}
	}

}
