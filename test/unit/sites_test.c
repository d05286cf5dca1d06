/* The site table's parser: a good table reads back; a damaged table is refused. */
#include <stdlib.h>
#include <string.h>

#include "base/abi.h"
#include "gasan_rt/report/site_table.h"
#include "greatest.h"

struct table {
  struct gasan_site_table header;
  struct gasan_object objects[2];
  struct gasan_site sites[2];
  struct gasan_frame frames[3];
  struct gasan_kernel_entry kernels[2];
  uint32_t reach[5];
  char strings[64];
};

#define AT(member) (uint32_t)offsetof(struct table, member)

static struct table good_table(void) {
  struct table t = {
      .header = {.magic = GASAN_SITES_MAGIC,
                 .abi_version = GASAN_ABI_VERSION,
                 .total_size = sizeof t,
                 .shadow_scale = 7,
                 .site_count = 2,
                 .sites_offset = AT(sites),
                 .frame_count = 3,
                 .frames_offset = AT(frames),
                 .kernel_count = 2,
                 .kernels_offset = AT(kernels),
                 .reach_words = 5,
                 .reach_offset = AT(reach),
                 .strings_size = 64,
                 .strings_offset = AT(strings),
                 .unchecked_count = 7,
                 .object_count = 2,
                 .objects_offset = AT(objects)},
      .objects = {{1, 0, 5, 3, 1024, GASAN_OBJECT_KIND_SHARED, 0}, {3, 1, 5, 4, 0, GASAN_OBJECT_KIND_STACK, 0}},
      .sites = {{0, 2, GASAN_ACCESS_READ, 0, 4, 0}, {2, 1, GASAN_ACCESS_WRITE, 0, 0, 2}},
      .frames = {{1, 5, 10, 3}, {3, 5, 20, 7}, {3, 5, 21, 0}},
      .kernels = {{10, 13, 2, 0}, {16, 19, 1, GASAN_KERNEL_UNKNOWN_STACK}},
      .reach = {1, 0, 2, 0, 1},
      .strings = "\0f\0g\0a.cu\0k1\0p1\0k2\0p2",
  };
  return t;
}

TEST reads_back(void) {
  struct table t = good_table();
  struct gasan_sites *sites = gasan_sites_parse(&t, sizeof t);
  ASSERT(sites);
  ASSERT_EQ(2u, gasan_sites_count(sites));
  ASSERT_EQ(2u, gasan_sites_kernel_count(sites));
  ASSERT_EQ(7u, gasan_sites_unchecked(sites));
  const struct gasan_site *site = gasan_sites_site(sites, 0);
  ASSERT_EQ(2, site->frame_count);
  ASSERT_STR_EQ("f", gasan_sites_string(sites, gasan_sites_frame(sites, site, 0)->function));
  ASSERT_STR_EQ("g", gasan_sites_string(sites, gasan_sites_frame(sites, site, 1)->function));
  ASSERT_STR_EQ("a.cu", gasan_sites_string(sites, gasan_sites_frame(sites, site, 1)->file));
  ASSERT_EQ(NULL, gasan_sites_site(sites, 2));
  ASSERT_EQ(2u, gasan_sites_object_count(sites));
  ASSERT_STR_EQ("f", gasan_sites_string(sites, gasan_sites_object(sites, 1)->name));
  ASSERT_EQ(1024u, gasan_sites_object(sites, 1)->size);
  ASSERT_EQ(GASAN_OBJECT_KIND_STACK, (int)gasan_sites_object(sites, 2)->kind);
  ASSERT_EQ(NULL, gasan_sites_object(sites, GASAN_OBJECT_MEMORY));
  ASSERT_EQ(NULL, gasan_sites_object(sites, 3));
  ASSERT_EQ(NULL, gasan_sites_object(sites, GASAN_OBJECT_SHARED));
  gasan_sites_free(sites);
  PASS();
}

TEST knows_which_kernel_reaches_a_site(void) {
  struct table t = good_table();
  struct gasan_sites *sites = gasan_sites_parse(&t, sizeof t);
  ASSERT(sites);
  ASSERT(gasan_sites_reaches(sites, gasan_sites_site(sites, 0), "k1"));
  ASSERT_FALSE(gasan_sites_reaches(sites, gasan_sites_site(sites, 0), "k2"));
  ASSERT(gasan_sites_reaches(sites, gasan_sites_site(sites, 1), "k2"));
  ASSERT_FALSE(gasan_sites_reaches(sites, gasan_sites_site(sites, 1), "k3"));
  ASSERT_STR_EQ("p2", gasan_sites_pretty_kernel(sites, "k2"));
  ASSERT_EQ(NULL, gasan_sites_pretty_kernel(sites, "k3"));
  ASSERT_EQ(0u, gasan_sites_kernel_flags(sites, "k1"));
  ASSERT_EQ((uint32_t)GASAN_KERNEL_UNKNOWN_STACK, gasan_sites_kernel_flags(sites, "k2"));
  ASSERT_EQ(0u, gasan_sites_kernel_flags(sites, "k3"));
  gasan_sites_free(sites);
  PASS();
}

static bool parses(const struct table *t, size_t size) {
  struct gasan_sites *sites = gasan_sites_parse(t, size);
  gasan_sites_free(sites);
  return sites != NULL;
}

TEST refuses_what_is_wrong(void) {
  struct table t = good_table();
  ASSERT(parses(&t, sizeof t));
  ASSERT_FALSE(parses(&t, sizeof t - 1));
  ASSERT_FALSE(parses(&t, 8));
#define WRONG(change)                                                                                                  \
  do {                                                                                                                 \
    t = good_table();                                                                                                  \
    change;                                                                                                            \
    ASSERT_FALSE(parses(&t, sizeof t));                                                                                \
  } while (0)
  WRONG(t.header.magic++);
  WRONG(t.header.abi_version++);
  WRONG(t.header.site_count = 1u << 30);
  WRONG(t.header.sites_offset = (uint32_t)sizeof t + 4);
  WRONG(t.header.frames_offset += 1);
  WRONG(t.header.strings_size = 1u << 20);
  WRONG(t.header.object_count = 1u << 30);
  WRONG(t.header.objects_offset += 4);
  WRONG(t.sites[1].first_frame = 3);
  WRONG(t.sites[1].reach = 5);
  WRONG(t.reach[2] = 3);
  PASS();
}

/* Random damage must never make the reader leave the blob: run under AddressSanitizer this is a check of every access.
 */
TEST survives_random_damage(void) {
  srand(42);
  for (int round = 0; round < 20000; round++) {
    struct table t = good_table();
    for (int i = 0; i < 4; i++)
      ((unsigned char *)&t)[(size_t)rand() % sizeof t] = (unsigned char)rand();
    struct gasan_sites *sites = gasan_sites_parse(&t, sizeof t);
    if (!sites)
      continue;
    for (uint32_t s = 0; s < gasan_sites_count(sites); s++) {
      const struct gasan_site *site = gasan_sites_site(sites, s);
      gasan_sites_reaches(sites, site, "k1");
      for (uint32_t f = 0; f < site->frame_count; f++)
        ASSERT(gasan_sites_string(sites, gasan_sites_frame(sites, site, f)->function));
    }
    for (uint32_t object = 1; object <= gasan_sites_object_count(sites); object++)
      ASSERT(gasan_sites_string(sites, gasan_sites_object(sites, object)->name));
    gasan_sites_pretty_kernel(sites, "k2");
    gasan_sites_free(sites);
  }
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(reads_back);
  RUN_TEST(knows_which_kernel_reaches_a_site);
  RUN_TEST(refuses_what_is_wrong);
  RUN_TEST(survives_random_damage);
  GREATEST_MAIN_END();
}
