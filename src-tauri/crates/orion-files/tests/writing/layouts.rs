//! Files of ordinary projects of many kinds, as people lay them out: those that are files like any other, and those that the project's tools run.
//!
//! `{a,b}` stands for `a` and for `b`. Deliberately not here: writing them, and counting those that ask (`ordinary`).

/// A kind of project, its files that ask for nothing, and those that ask.
pub(crate) type Layout = (&'static str, &'static str, &'static str);

#[rustfmt::skip]
pub(crate) const LAYOUTS: &[Layout] = &[
    ("a workspace of Rust", "
        README.md CHANGELOG.md CONTRIBUTING.md LICENSE-{MIT,APACHE} .gitignore rustfmt.toml clippy.toml deny.toml Cargo.toml Cargo.lock
        crates/{core,store,server,cli,protocol,client,index,query}/{Cargo.toml,README.md,src/{lib,error,config}.rs}
        crates/{core,store,server,cli,protocol,client,index,query}/src/{parse,read,write,index,hooks}.rs
        crates/{core,store,server,cli,protocol,client,index,query}/{tests/{main,common,properties}.rs,benches/throughput.rs,examples/first.rs}
        crates/cli/src/{main.rs,args.rs,commands/{mod,check,run,init}.rs} crates/store/migrations/{0001_first,0002_index,0003_users}.sql
        crates/server/src/{routes/{mod,users,files,health}.rs,state.rs,middleware.rs} crates/server/static/{index.html,style.css}
        fuzz/{Cargo.toml,fuzz_targets/{parse,read}.rs} docs/{guide,design,releasing}.md xtask/{Cargo.toml,src/main.rs}
        crates/core/src/snapshots/{parse,read,write}__{plain,nested,empty}.snap
    ", ".github/workflows/ci.yml rust-toolchain.toml .cargo/config.toml crates/store/build.rs crates/cli/src/commands/build.rs"),

    ("a service of Node", "
        README.md LICENSE .gitignore .dockerignore Dockerfile docker-compose.yml tsconfig.json tsconfig.build.json package-lock.json openapi.yaml
        src/{main,app,config,logger,errors}.ts
        src/{users,orders,products,payments,sessions,carts,reviews,invoices,search,mail}/{controller,service,repository,routes,types,schema}.ts
        src/{users,orders,products,payments,sessions,carts,reviews,invoices,search,mail}/{controller,service,repository}.test.ts
        src/middleware/{auth,errors,rate,log}.ts
        src/config/{index,database,queue,mail}.ts src/hooks/{before,after}.ts src/jobs/{mail,reports,cleanup}.ts src/tasks/{daily,weekly}.ts
        migrations/{20240101_users,20240102_orders,20240103_products,20240201_index}.ts seeds/{users,products}.ts
        test/{setup.ts,fixtures/{user,order,product}.json,e2e/{login,order,payment}.test.ts} scripts/{seed,backup,release}.ts docs/{api,deploy,events}.md
        templates/{welcome,receipt,reset}.{html,txt} types/{express.d.ts,env.d.ts}
    ", ".github/workflows/ci.yml eslint.config.js .env.example package.json"),

    ("a page of React", "
        README.md LICENSE .gitignore index.html vite.config.ts tsconfig.json tsconfig.node.json package-lock.json tailwind.config.js postcss.config.js
        public/{robots.txt,manifest.webmanifest,logo.svg,favicon.svg} src/{main.tsx,App.tsx,index.css,vite-env.d.ts,router.tsx,settings.ts}
        src/components/{Button,Card,Dialog,Field,Header,Footer,Menu,Table,Tabs,Toast}/{index.ts,{Button,View}.tsx,View.test.tsx,view.module.css}
        src/components/{Avatar,Badge,Select,Search,Upload,Chart,Pager,Tooltip,Drawer,Empty}/{index.ts,{Button,View}.tsx,View.test.tsx,view.module.css}
        src/pages/{Home,Login,Profile,Orders,Order,Products,Product,Cart,Team,Settings,Help,NotFound}/{index.tsx,Page.test.tsx}
        src/hooks/{useUser,useOrders,useTheme,useQuery,useForm}.ts
        src/hooks/{useUser,useOrders}.test.ts src/api/{client,users,orders,products}.ts src/api/client.test.ts src/config/{index,routes}.ts
        src/store/{index,user,cart,theme}.ts src/lib/{build,date,money,format}.ts src/tasks/list.tsx src/i18n/{index.ts,de.json,en.json,fr.json}
        src/styles/{main,theme,print}.scss e2e/{login,order,profile}.spec.ts playwright.config.ts vitest.config.ts docs/guide.md scripts/seed.ts
        .storybook/{main,preview}.ts src/stories/{Button,Card,Dialog}.stories.tsx
    ", ".github/workflows/ci.yml eslint.config.js .prettierrc .env.local package.json"),

    ("a site of Next.js", "
        README.md .gitignore next.config.mjs tsconfig.json next-env.d.ts pnpm-lock.yaml postcss.config.mjs components.json middleware.ts
        public/{favicon.ico.txt,logo.svg,robots.txt,fonts/licence.txt} app/{layout,page,loading,error,not-found}.tsx app/globals.css
        app/{about,pricing,blog,contact,account,dashboard,settings,teams,projects,members,invoices,search,help,changelog,docs}/{page,layout,loading,error}.tsx
        app/blog/[slug]/{page,opengraph-image}.tsx
        app/api/{auth,users,teams,billing,webhooks,health}/route.ts app/(auth)/{login,signup,reset}/page.tsx app/dashboard/@modal/default.tsx
        components/{nav,hero,footer,pricing-table,post,team-list,avatar,theme}.tsx
        components/ui/{button,card,dialog,input,select,tabs,toast,sheet,table,badge,avatar,menu,form,label,switch,popover,calendar,command}.tsx
        components/{projects,members,invoices,billing,search,settings}/{list,row,form,empty,actions,header}.tsx
        lib/{db,auth,mail,stripe,utils,validation}.ts hooks/{use-toast,use-team,use-media}.ts actions/{user,team,billing}.ts
        prisma/{schema.prisma,seed.ts,migrations/{001_init,002_teams}/migration.sql} content/posts/{first,second,third,fourth}.mdx emails/{welcome,invite}.tsx
        types/{index,next-auth}.d.ts tests/{auth,billing}.test.ts config/{site,docs,marketing}.ts
    ", ".github/workflows/deploy.yml .eslintrc.json .env.example package.json"),

    ("a page of Vue", "
        README.md .gitignore index.html vite.config.js jsconfig.json package-lock.json public/favicon.svg src/{main.js,App.vue}
        src/components/{TheHeader,TheFooter,BaseButton,BaseCard,BaseModal,BaseInput,UserAvatar,OrderList,OrderRow,ProductCard,ProductGrid}.vue
        src/components/{orders,products,users,cart,reviews,search}/{List,Row,Form,Filter,Detail,Empty,Actions}{.vue,.spec.js}
        src/components/__tests__/{BaseButton,BaseCard,OrderList,ProductCard}.spec.js
        src/views/{Home,About,Login,Orders,Order,Products,Product,Profile}View.vue
        src/router/{index,guards}.js src/stores/{user,cart,products,orders,ui}.js src/composables/{useFetch,useAuth,useCart,useDebounce}.js
        src/assets/{base.css,main.css,logo.svg} src/plugins/{i18n,axios}.js src/locales/{de,en,es,ja}.json src/directives/{focus,tooltip}.js
        src/services/{api,users,orders,products}.js src/utils/{date,money,text}.js cypress/{e2e/{login,order}.cy.js,support/e2e.js,fixtures/user.json}
        cypress.config.js vitest.config.js docs/{styles,state}.md src/hooks/index.js src/layouts/{default,empty}.vue src/config.js
    ", "eslint.config.js .prettierrc.json package.json"),

    ("an application of SvelteKit", "
        README.md .gitignore svelte.config.js vite.config.ts tsconfig.json pnpm-lock.yaml static/{favicon.png.txt,robots.txt} src/{app.html,app.d.ts,app.css}
        src/hooks.{server,client}.ts src/routes/{+page.svelte,+layout.svelte,+layout.server.ts,+error.svelte}
        src/routes/{about,login,logout,posts,account,search,tags,drafts,comments,media,users,teams,invites,help,imprint}/{+page.svelte,+page.server.ts}
        src/routes/posts/[slug]/{+page.svelte,+page.ts,+server.ts}
        src/routes/api/{posts,users,search,upload}/+server.ts src/lib/{index,db,auth,markdown,time}.ts src/lib/server/{session,mail,rate}.ts
        src/lib/components/{nav,post,editor,comments,media,users,search}/{List,Row,Form,Dialog,Menu,Empty,Toolbar,Preview}.svelte
        src/lib/components/{nav,post,editor,comments,media,users,search}/{state,api,types}.ts src/lib/components/{Footer,Toast,Avatar,Tag,Pager}.svelte
        src/lib/stores/{user,theme,toast}.ts
        src/lib/markdown.test.ts src/lib/time.test.ts e2e/{home,login,post}.test.ts playwright.config.ts drizzle/{0000_init,0001_tags}.sql drizzle.config.ts
        src/content/{first,second,third}.md src/params/slug.ts src/i18n/{de,en}.json src/styles/{reset,type}.css docs/{deploy,editor}.md
    ", ".npmrc eslint.config.js .prettierrc .env.example package.json"),

    ("an application of Angular", "
        README.md .gitignore .editorconfig angular.json tsconfig.json tsconfig.{app,spec}.json package-lock.json karma.conf.js public/favicon.txt
        src/{index.html,main.ts,styles.scss} src/environments/environment{,.development}.ts src/app/app.{config,routes}.ts
        src/app/app.component.{ts,html,scss,spec.ts} src/app/core/{auth,api,error,log}.service.ts src/app/core/{auth,api,error,log}.service.spec.ts
        src/app/{users,orders,products,cart,login,profile,settings,admin}/{list,detail,form}/{list,view}.component.{ts,html,scss,spec.ts}
        src/app/{reviews,invoices,search,teams}/{list,detail,form}/{list,view}.component.{ts,html,scss,spec.ts}
        src/app/shared/{pipes/{money,date}.pipe.ts,directives/focus.directive.ts,guards/auth.guard.ts,interceptors/token.interceptor.ts}
        src/app/models/{user,order,product,cart}.ts src/assets/i18n/{de,en}.json e2e/{login,order}.spec.ts docs/style.md proxy.conf.json
    ", "eslint.config.js .vscode/extensions.json package.json"),

    ("a library of Python", "
        README.rst CHANGES.rst LICENSE .gitignore tox.ini noxfile.py requirements-{dev,docs}.txt src/shop/py.typed
        src/shop/{__init__,__main__,models,config,hooks,tasks,errors,parser,cli,types,cache,signals,compat}.py
        src/shop/{backends,queries,schemas,events,plugins}/{__init__,base,memory,redis,sql,file,errors}.py
        src/shop/formats/{__init__,json,toml,xml,csv,yaml}.py src/shop/templates/base.html
        tests/{__init__,conftest,test_models,test_config,test_parser,test_cli,test_cache,test_signals}.py
        tests/{backends,queries,schemas,events,plugins}/test_{memory,redis,sql,file}.py
        tests/formats/test_{json,toml,xml,csv,yaml}.py tests/data/{plain,nested,broken,empty}.{json,toml,xml,csv,yaml}
        docs/{index,install,guide,api,changes,faq}.rst docs/{conf.py,Makefile,requirements.txt} examples/{first,cached,signals}.py scripts/{load,release}.py
        benchmarks/{parse,cache}.py
    ", ".github/workflows/test.yml .pre-commit-config.yaml .readthedocs.yaml pyproject.toml"),

    ("a site of Django", "
        README.md .gitignore manage.py requirements.txt Dockerfile docker-compose.yml setup.cfg pytest.ini locale/{de,fr,es}/LC_MESSAGES/django.po
        config/{__init__,urls,wsgi,asgi}.py config/settings/{__init__,base,dev,prod,test}.py config/logging.yaml
        {accounts,shop,blog,orders,payments,search}/{__init__,admin,apps,forms,models,urls,views,signals,tasks,managers}.py
        {accounts,shop,blog,orders,payments,search}/migrations/{__init__,0001_initial,0002_fields}.py
        {accounts,shop,blog,orders,payments,search}/tests/{__init__,test_models,test_views,factories}.py
        {accounts,shop,blog,orders,payments}/templates/{list,detail,form}.html templates/{base,404,500,home}.html templates/emails/{welcome,order}.txt
        static/{css/{main,print}.css,js/{main,cart}.js,img/logo.svg} fixtures/{users,products}.json docs/{setup,deploy}.md
    ", ".github/workflows/test.yml .pre-commit-config.yaml .env.example"),

    ("a service of FastAPI", "
        README.md .gitignore Dockerfile docker-compose.yml alembic.ini poetry.lock app/{__init__,main,database,security,settings,logging}.py
        app/api/{__init__,deps,errors}.py app/api/v1/{__init__,users,items,orders,login,health,files,teams,invoices,search,reports,tags,events}.py
        app/crud/{__init__,base,user,item,order,team,invoice,report,tag,event}.py
        app/models/{__init__,user,item,order,file,team,invoice,report,tag,event}.py
        app/schemas/{__init__,user,item,order,token,file,team,invoice,report,tag,event}.py
        tests/crud/test_{user,item,order,team,invoice,report,tag,event}.py tests/schemas/test_{user,item,order,token,file,team,invoice}.py
        clients/python/shop_client/{__init__,client,errors}.py clients/python/shop_client/api/{users,items,orders,files,teams,invoices,reports}.py
        clients/python/shop_client/models/{user,item,order,file,team,invoice,report,tag,event,page,error,token}.py
        clients/python/docs/{users,items,orders,files,teams}.md app/core/{__init__,config,events,hooks}.py
        app/services/{__init__,mail,storage,search}.py app/workers/{__init__,celery,mail,reports}.py app/templates/{welcome,reset}.html
        alembic/{env.py,script.py.mako,versions/{0001_users,0002_items,0003_orders}.py} tests/{__init__,conftest,factories}.py
        tests/api/test_{users,items,orders,login,health}.py tests/services/test_{mail,storage}.py scripts/{seed,prestart}.py docs/{api,events}.md
    ", ".github/workflows/test.yml .pre-commit-config.yaml .env pyproject.toml"),

    ("notebooks of a data scientist", "
        README.md LICENSE .gitignore environment.yml requirements.txt Makefile notebooks/{01-look,02-clean,03-features,04-model,05-report}.ipynb
        notebooks/drafts/{trees,networks,baseline}.ipynb src/churn/{__init__,load,clean,features,model,evaluate,plots,config}.py
        data/{raw,interim,processed,external}/{customers,orders,visits}.csv data/README.md models/{baseline,trees}.json reports/{first,final}.md
        reports/figures/{roc,lift,importance,confusion}.svg tests/test_{load,clean,features,model}.py params.yaml dvc.yaml dvc.lock
        configs/{base,small,large}.yaml sql/{customers,orders,visits}.sql references/{dictionary,sources}.md scripts/{download,train,report}.py
        slides/{talk.md,theme.css} R/{plots,survival}.R
    ", ".pre-commit-config.yaml"),

    ("an application of Rails", "
        README.md Gemfile Gemfile.lock Rakefile config.ru .gitignore .ruby-version .rspec .rubocop.yml Dockerfile Procfile
        app/controllers/{application,users,orders,products,carts,sessions,payments,reviews}_controller.rb app/controllers/concerns/authenticated.rb
        app/models/{application_record,user,order,product,cart,line_item,payment,review}.rb app/models/concerns/searchable.rb
        app/views/{users,orders,products,carts,payments,reviews}/{index,show,new,edit,_form}.html.erb app/views/layouts/{application,mailer}.html.erb
        app/helpers/{application,users,orders,products}_helper.rb app/jobs/{application,mail,report}_job.rb app/mailers/{application,order}_mailer.rb
        app/javascript/{application.js,controllers/{cart,search,menu}_controller.js} app/assets/stylesheets/{application,cart,print}.css
        config/{application,boot,environment,puma,routes,importmap}.rb config/{database,cable,storage}.yml
        config/environments/{development,production,test}.rb
        config/initializers/{assets,filter,inflections,session,cors}.rb config/locales/{de,en,fr}.yml db/{schema,seeds}.rb
        db/migrate/{20240101_users,20240102_products,20240103_orders,20240201_reviews}.rb lib/tasks/{import,report}.rake public/{404,422,500}.html
        spec/{rails_helper,spec_helper}.rb spec/models/{user,order,product,cart,review}_spec.rb spec/requests/{users,orders,products}_spec.rb
        spec/factories/{users,orders,products}.rb spec/system/{login,order}_spec.rb bin/{rails,rake,setup,dev}
    ", ".gitattributes .github/workflows/ci.yml"),

    ("an application of Laravel", "
        README.md .gitignore .editorconfig artisan composer.lock phpunit.xml vite.config.js
        app/Http/Controllers/{Controller,User,Order,Product,Cart,Login,Review,Invoice,Search,Team,Report,Category}Controller.php
        app/Http/Middleware/{Authenticate,Locale}.php
        app/Http/Requests/{StoreUser,StoreOrder,StoreProduct}Request.php app/Models/{User,Order,Product,Cart,Payment}.php
        app/Providers/{App,Auth,Route}ServiceProvider.php app/{Events,Listeners,Mail,Notifications}/{OrderPlaced,UserJoined}.php
        app/Jobs/{SendMail,Report}.php
        bootstrap/{app,providers}.php config/{app,auth,cache,cors,database,filesystems,hashing,logging,mail,queue,services,session,view}.php
        database/factories/{User,Order,Product}Factory.php database/seeders/{Database,User}Seeder.php
        database/migrations/{2024_01_01_users,2024_01_02_orders,2024_01_03_products,2024_02_01_payments}.php public/{index.php,robots.txt}
        resources/views/{welcome,home,login}.blade.php
        resources/views/{users,orders,products,reviews,invoices,teams,reports,categories}/{index,show,edit,create,_form}.blade.php
        app/{Policies,Http/Resources,Observers,Actions,Repositories}/{User,Order,Product,Review,Invoice,Team,Category}{Rules,Data}.php
        resources/{css/app.css,js/{app,bootstrap}.js,lang/{de,en}.json} routes/{web,api,console,channels}.php tests/{TestCase,Pest}.php
        tests/Feature/{Login,Order,Product}Test.php tests/Unit/{Cart,Money}Test.php
    ", ".gitattributes .env.example composer.json package.json"),

    ("a plugin of WordPress", "
        readme.txt LICENSE .gitignore shop-plugin.php uninstall.php phpcs.xml.dist includes/class-{plugin,loader,activator,i18n,settings,rest,hooks}.php
        includes/{orders,products,coupons,taxes,emails,reports}/class-{model,query,api,admin,export}.php
        admin/class-admin.php admin/{css/admin.css,js/admin.js} admin/partials/{settings,report,orders}.php public/class-public.php
        public/{css/public.css,js/public.js} public/partials/{list,single,cart}.php languages/shop-plugin.pot languages/shop-plugin-{de_DE,fr_FR}.po
        templates/{archive,single,cart,checkout}.php blocks/{cart,list,price}/{block.json,index.js,edit.js,save.js,style.scss}
        tests/{bootstrap,test-plugin,test-rest,test-settings}.php assets/{banner,icon}.svg docs/{hooks,filters,templates}.md
    ", "composer.json package.json"),

    ("a service of Go", "
        README.md LICENSE .gitignore go.mod go.sum Makefile Dockerfile .golangci.yml cmd/{server,worker,migrate}/main.go
        internal/{config,log,auth,store,mail,queue,cache,metrics,search,files,billing,jobs}/{doc,config,client,errors}.go
        internal/{auth,store,mail,queue,cache}/client_test.go
        internal/http/{server,routes,middleware,errors}.go internal/http/handlers/{users,orders,products,health}.go
        internal/http/handlers/{users,orders,products,health}_test.go internal/domain/{user,order,product,money}.go internal/domain/{order,money}_test.go
        migrations/{0001_users,0002_orders,0003_products}.{up,down}.sql api/{openapi.yaml,v1/{users,orders}.proto} pkg/retry/{retry,retry_test}.go
        deploy/{server,worker,ingress}.yaml testdata/{user,order,broken}.json docs/{design,deploy}.md scripts/{seed,lint}.go web/{index.html,app.js,app.css}
    ", ".github/workflows/ci.yml .github/workflows/release.yml"),

    ("a service of Java with Maven", "
        README.md LICENSE .gitignore pom.xml mvnw mvnw.cmd Dockerfile src/main/resources/{application,application-dev,application-prod}.yml
        src/main/resources/{logback.xml,messages.properties,messages_de.properties,db/migration/{V1__users,V2__orders,V3__products}.sql}
        src/main/java/org/example/shop/{ShopApplication,Config,Constants}.java
        src/main/java/org/example/shop/{user,order,product,payment,cart,mail}/{Controller,Service,Repository,Entity,Mapper,Dto,Request,Exception}.java
        src/main/java/org/example/shop/security/{SecurityConfig,JwtFilter,UserDetails,PasswordPolicy}.java
        src/main/java/org/example/shop/config/{Cache,Database,Json,OpenApi,Scheduling}Config.java
        src/test/java/org/example/shop/{user,order,product,payment,cart}/{Controller,Service,Repository}Test.java
        src/test/resources/{application-test.yml,data/{user,order}.json} src/main/resources/templates/{welcome,order}.html docs/{build,api}.md
    ", ".github/workflows/maven.yml .mvn/wrapper/maven-wrapper.properties"),

    ("a server of Kotlin with Gradle", "
        README.md LICENSE .gitignore gradlew gradlew.bat gradle/libs.versions.toml detekt.yml app/src/main/kotlin/org/example/{Main,Routing,Module}.kt
        app/src/main/kotlin/org/example/{users,orders,products,mail,jobs,files,teams}/{Routes,Service,Repository,Model,Errors,Tasks,Mapper,Validation}.kt
        app/src/main/kotlin/org/example/{invoices,search,reports,events,audit}/{Routes,Service,Repository,Model,Errors,Tasks,Mapper,Validation}.kt
        app/src/test/kotlin/org/example/{users,orders,products,mail,jobs,files,teams,invoices,search,reports,events,audit}/{Routes,Service,Repository}Test.kt
        app/src/main/resources/{application.conf,logback.xml,config/a.yml,db/{V1,V2,V3}.sql,static/{index.html,app.css}}
        core/src/main/kotlin/org/example/core/{Result,Clock,Ids,Money,Json,Text}.kt core/src/test/kotlin/org/example/core/{Result,Money,Text}Test.kt
        client/src/main/kotlin/org/example/client/{Client,Retry,Errors,Options}.kt client/src/test/kotlin/org/example/client/{Client,Retry}Test.kt
        client/src/main/java/org/example/Config.java docs/{build,gradle,api}.md
    ", "build.gradle.kts settings.gradle.kts gradle.properties {app,core,client}/build.gradle.kts gradle/wrapper/gradle-wrapper.properties"),

    ("an application for Android", "
        README.md .gitignore gradlew gradlew.bat gradle/libs.versions.toml app/proguard-rules.pro app/src/main/AndroidManifest.xml
        app/src/main/java/org/example/notes/{MainActivity,NotesApplication,Navigation,Config}.kt
        app/src/main/java/org/example/notes/di/{App,Data,Net}Module.kt
        app/src/main/java/org/example/notes/ui/{home,note,search,settings,login,tags}/{Screen,ViewModel,State,Components,Events}.kt
        app/src/main/java/org/example/notes/ui/{share,trash,reminders,folders,import,about}/{Screen,ViewModel,State,Components,Events}.kt
        app/src/main/java/org/example/notes/ui/theme/{Color,Theme,Type,Shape}.kt
        app/src/main/java/org/example/notes/data/{Note,Tag,Dao,Database,Repository}.kt
        app/src/main/java/org/example/notes/net/{Api,Client,Dto,Sync}.kt app/src/main/java/org/example/notes/work/{Sync,Backup}Worker.kt
        app/src/main/res/{values,values-de,values-fr,values-ja}/strings.xml app/src/main/res/values/{colors,dimens,themes,styles}.xml
        app/src/main/res/drawable/ic_{note,tag,search,share,delete,edit,add,back,menu,sync,folder,bell,undo,redo,star,lock,image,link}.xml
        app/src/main/res/drawable/ic_{copy,paste,sort,filter,more,info,check}.xml
        app/src/main/res/xml/{backup_rules,file_paths,network}.xml
        app/src/main/res/layout/{activity_main,fragment_note,item_note,widget}.xml app/src/main/res/mipmap-anydpi-v26/ic_launcher.xml
        app/src/test/java/org/example/notes/ui/{home,note,search,settings,login,tags,share,trash,reminders,folders}/{ViewModel,State}Test.kt
        app/src/test/java/org/example/notes/{Repository,Sync,Dao}Test.kt
        app/src/main/java/org/example/notes/domain/{Create,Delete,Find,Share,Tag,Restore,Remind,Move}Note.kt
        app/src/androidTest/java/org/example/notes/{Home,Note,Search}Test.kt
        fastlane/{Fastfile,Appfile,metadata/android/{de-DE,en-US}/{title,short_description,full_description}.txt} docs/{release,sync}.md
    ", "build.gradle.kts settings.gradle.kts gradle.properties app/build.gradle.kts gradle/wrapper/gradle-wrapper.properties"),

    ("an application for iOS", "
        README.md .gitignore .swiftlint.yml Podfile Package.swift Notes.xcodeproj/project.pbxproj Notes.xcodeproj/xcshareddata/xcschemes/Notes.xcscheme
        Notes/{NotesApp,AppDelegate,ContentView,Constants}.swift Notes/Info.plist Notes/Notes.entitlements
        Notes/{Home,Note,Search,Settings,Login,Tags,Share,Trash,Folders,Reminders}/{View,Row,Toolbar,Actions,Preview,Strings}.swift
        Notes/Views/{Editor,Empty,Loading}View.swift Notes/ViewModels/{Home,Note,Search,Settings,Login}ViewModel.swift
        Notes/Models/{Note,Tag,User,Attachment}.swift Notes/Services/{Api,Store,Sync,Keychain,Log}.swift Notes/Extensions/{String,Date,View,Color}.swift
        Notes/Resources/{de,en,fr,ja}.lproj/Localizable.strings Notes/Assets.xcassets/{Contents,AppIcon.appiconset/Contents,Accent.colorset/Contents}.json
        Notes/Storyboards/LaunchScreen.storyboard NotesTests/{Store,Sync,Api,Note,ViewModel}Tests.swift NotesUITests/{Home,Login}UITests.swift
        NotesWidget/{Widget,Provider,Entry}.swift NotesWidget/Info.plist fastlane/{Fastfile,Matchfile} docs/{release,sync}.md
    ", ".github/workflows/ios.yml"),

    ("a solution of .NET", "
        README.md .gitignore .editorconfig Shop.sln Directory.Build.props Directory.Packages.props global.json Dockerfile nuget.config
        src/Shop.{Api,Core,Data,Worker}/Shop.{Api,Core,Data,Worker}.csproj src/Shop.Api/{Program,Startup}.cs
        src/Shop.Api/{appsettings,appsettings.Development}.json src/Shop.Api/Properties/launchSettings.json
        src/Shop.Api/Controllers/{Users,Orders,Products,Carts,Health}Controller.cs src/Shop.Api/Models/{User,Order,Product,Cart}{Request,Response}.cs
        src/Shop.Api/Middleware/{Errors,Log,Tenant}Middleware.cs
        src/Shop.Core/{Users,Orders,Products,Carts,Payments,Reviews,Invoices,Search,Mail}/{Entity,Service,Errors,Events,Specifications,IRepository}.cs
        src/Shop.Data/{ShopContext,UnitOfWork}.cs src/Shop.Data/Configurations/{User,Order,Product}Configuration.cs
        src/Shop.Data/Migrations/{20240101_Users,20240102_Orders,20240103_Products}.cs src/Shop.Worker/{Program,Worker,MailJob,ReportJob}.cs
        tests/Shop.{Api,Core,Data}.Tests/Shop.{Api,Core,Data}.Tests.csproj tests/Shop.Core.Tests/{User,Order,Product,Cart,Payment}Tests.cs
        tests/Shop.Api.Tests/{Users,Orders,Products}ControllerTests.cs docs/{build,deploy,architecture}.md
    ", ".gitattributes .github/workflows/dotnet.yml"),

    ("an application of Phoenix", "
        README.md mix.exs mix.lock .formatter.exs .credo.exs .gitignore config/{config,dev,prod,runtime,test}.exs lib/shop.ex lib/shop_web.ex
        lib/shop/{application,repo,mailer,release}.ex lib/shop/{accounts,catalog,orders,payments,carts}.ex
        lib/shop/{accounts/{user,token},catalog/{product,category},orders/{order,line},payments/payment,carts/cart}.ex
        lib/shop_web/{endpoint,router,telemetry,gettext}.ex lib/shop_web/components/{core_components,layouts}.ex
        lib/shop_web/components/layouts/{root,app}.html.heex lib/shop_web/controllers/{page,user,error,session}_controller.ex
        lib/shop_web/controllers/page_html/home.html.heex lib/shop_web/live/{product,order,cart,user}_live/{index,show,form}.ex
        lib/shop_web/live/{product,order,cart,user}_live/{index,show}.html.heex
        priv/repo/{seeds.exs,migrations/{1_users,2_products,3_orders,4_carts}.exs} priv/gettext/{de,en}/LC_MESSAGES/{default,errors}.po
        assets/{css/app.css,js/app.js,tailwind.config.js,vendor/topbar.js} test/{test_helper.exs,support/{conn_case,data_case,fixtures}.ex}
        test/shop/{accounts,catalog,orders,carts}_test.exs test/shop_web/live/{product,order,cart}_live_test.exs rel/overlays/bin/server
    ", ".github/workflows/elixir.yml"),

    ("a package of Haskell", "
        README.md CHANGELOG.md LICENSE .gitignore stack.yaml stack.yaml.lock package.cabal cabal.project fourmolu.yaml .hlint.yaml Setup.hs
        app/Main.hs app/{Options,Commands}.hs src/Data/Shop.hs src/Data/Shop/{Types,Parser,Printer,Query,Index,Store,Errors,Json,Sql,Time,Text,Config}.hs
        src/Data/Shop/Internal/{Tree,Buffer,Trie,Builder,Monad}.hs src/Data/Shop/{Order,Product,Customer,Invoice}/{Types,Store,Query,Json}.hs
        src/Network/Shop/{Server,Client,Routes,Auth,Handlers}.hs
        test/Spec.hs test/Data/Shop/{Types,Parser,Printer,Query,Index,Store,Json}Spec.hs test/golden/{plain,nested,broken,empty}.{input,output}
        bench/{Main,Parser,Index}.hs examples/{First,Second,Server}.hs docs/{guide,grammar}.md
    ", ".github/workflows/haskell.yml hie.yaml"),

    ("a library of C with CMake", "
        README.md LICENSE NEWS .gitignore .clang-format .clang-tidy CMakeLists.txt CMakePresets.json Doxyfile cmake/{options,warnings,install,config}.cmake
        include/shop/{shop,types,error,buffer,parser,list,map,string,io,net,thread,log,version}.h src/CMakeLists.txt
        src/{shop,error,buffer,parser,list,map,string,io,net,thread,log,version}.c src/{internal,platform,hash}.h
        src/codecs/{json,xml,csv,ini,yaml,utf8,base64,hex}.{c,h} src/platform/{linux,windows,macos}.c
        tests/CMakeLists.txt tests/test_{buffer,parser,list,map,string,io,net,thread}.c tests/data/{plain,nested,broken}.{txt,expected}
        examples/{first,server,client}.c examples/CMakeLists.txt fuzz/{parser,buffer}.c docs/{api,build,porting}.md man/shop.{1,3} tools/{gen.py,bench.c}
        bindings/python/{shop.pyx,setup.py,test_shop.py} third_party/{utf8/utf8.h,utf8/LICENSE}
    ", ".github/workflows/build.yml"),

    ("a game of Unity", "
        README.md .gitignore Packages/{manifest,packages-lock}.json
        ProjectSettings/{ProjectVersion.txt,ProjectSettings.asset,InputManager.asset,TagManager.asset,QualitySettings.asset,Physics2DSettings.asset}
        Assets/Scripts/{Player,Enemies,Items,Levels,Audio,Saves,Input,Camera,Dialogs}/{Controller,State,View,Settings,Events}.cs{,.meta}
        Assets/Scripts/{Shop,Quests,Weather}/{Controller,State,View,Settings,Events}.cs{,.meta} Assets/Scripts/Game.asmdef{,.meta}
        Assets/Scenes/{Menu,Level1,Level2,Level3,End}.unity{,.meta}
        Assets/Prefabs/{Player,Enemy,Coin,Door,Bullet}.prefab{,.meta} Assets/UI/{Menu,Hud,Pause}.{uxml,uss}{,.meta}
        Assets/Settings/{Game,Audio,Input}.asset{,.meta} Assets/Shaders/{Water,Glow,Outline}.shader{,.meta} Assets/Editor/{Build,Levels}.cs{,.meta}
        Assets/Tests/{PlayMode,EditMode}/{Player,Saves}Tests.cs{,.meta}
    ", ".gitattributes"),

    ("a game of Godot", "
        README.md LICENSE .gitignore project.godot export_presets.cfg icon.svg icon.svg.import
        scenes/{main,menu,hud,pause,player,enemy,coin,door,bullet,level_1,level_2,level_3,end}.tscn sounds/{jump,coin,hurt,door,end}.ogg.import
        sprites/{player,enemy,coin,door,bullet,tiles,sky,hud}.png.import
        scripts/{main,menu,hud,pause,player,enemy,coin,door,bullet,level,saves,audio,settings,dialogs,input}.gd
        scripts/states/{idle,run,jump,fall,hurt,dead}.gd resources/{player,enemy,coin,door}.tres shaders/{water,glow,outline}.gdshader
        addons/dialogs/{plugin.cfg,plugin.gd,dialog.gd,editor.tscn} translations/{de,en,ja}.po themes/{main,large}.tres
        tests/test_{player,enemy,saves,level}.gd docs/{design,levels}.md assets/licences.txt
    ", ".gitattributes"),

    ("a site of Hugo", "
        README.md .gitignore hugo.toml archetypes/{default,posts}.md content/_index.md content/{about,contact,imprint,privacy}.md
        content/posts/{2022,2023,2024}-{01,02,03,04,05,06,07,08,09,10,11,12}/index.md content/docs/{_index,install,guide,faq}.md
        content/de/posts/{first,second,third}.md data/{authors,links,events}.yaml i18n/{de,en}.toml
        layouts/{index,404}.html layouts/_default/{baseof,list,single,rss}.{html,xml} layouts/partials/{head,header,footer,nav,post,pager,meta,comments}.html
        layouts/shortcodes/{figure,note,video,quote}.html layouts/posts/{list,single}.html assets/{css/{main,print,dark}.css,js/{main,search}.js}
        static/{robots.txt,CNAME,favicon.svg} themes/plain/{theme.toml,README.md,layouts/index.html}
    ", ".github/workflows/pages.yml .gitmodules"),

    ("an application of Flutter", "
        README.md .gitignore .metadata pubspec.yaml pubspec.lock analysis_options.yaml l10n.yaml lib/{main,app,router,config,theme}.dart
        lib/{home,notes,search,settings,login,tags,share}/{page,controller,state,widgets,repository,events}.dart
        lib/{trash,reminders,folders,profile,import,onboarding}/{page,controller,state,widgets,repository,events}.dart
        lib/models/{note,tag,user,attachment}.dart
        lib/services/{api,store,sync,log,auth}.dart lib/l10n/app_{de,en,fr,ja}.arb lib/widgets/{button,card,dialog,field,empty,row,loading}.dart
        test/{home,notes,search,settings,login,tags,share,trash,reminders,folders,profile}/{page,controller,state}_test.dart
        test/services/{api,store,sync}_test.dart integration_test/app_test.dart
        android/app/src/main/{AndroidManifest.xml,kotlin/org/example/notes/MainActivity.kt,res/values/styles.xml} android/local.properties
        ios/Runner/{AppDelegate.swift,Info.plist,Base.lproj/Main.storyboard} ios/Podfile web/{index.html,manifest.json} linux/{CMakeLists.txt,main.cc}
        macos/Runner/{AppDelegate.swift,Info.plist} windows/runner/{main.cpp,Runner.rc} assets/{fonts/licence.txt,images/logo.svg}
    ", "android/{build,settings}.gradle android/app/build.gradle android/gradle.properties android/gradle/wrapper/gradle-wrapper.properties"),

    ("modules of Terraform", "
        README.md .gitignore .terraform.lock.hcl .tflint.hcl Makefile
        modules/{network,cluster,database,queue,cache,storage,dns,iam}/{main,variables,outputs,versions}.tf
        modules/{network,cluster,database,queue,cache,storage,dns,iam}/README.md environments/{dev,staging,prod}/{main,variables,outputs,backend,providers}.tf
        environments/{dev,staging,prod}/terraform.tfvars examples/{small,large}/{main,outputs}.tf test/{network,cluster,database}_test.go test/go.mod
        policies/{tags,regions,sizes}.rego scripts/{plan,drift}.sh docs/{layout,state,naming}.md templates/{user_data.sh,policy.json}.tftpl
    ", ".github/workflows/plan.yml .pre-commit-config.yaml"),

    ("playbooks of Ansible", "
        README.md .gitignore ansible.cfg requirements.yml site.yml {web,db,cache,mail,backup}.yml inventories/{staging,prod}/hosts.yml
        inventories/{staging,prod}/group_vars/{all,web,db,cache}.yml inventories/{staging,prod}/host_vars/{one,two}.yml
        roles/{common,nginx,postgres,redis,postfix,backup,users,firewall}/{tasks,handlers,defaults,meta,vars}/main.yml
        roles/{nginx,postgres,redis,postfix,backup}/templates/{service,main}.conf.j2 roles/{common,nginx,users}/files/{motd,limits}.txt
        roles/{common,nginx,postgres}/molecule/default/{molecule,converge,verify}.yml filter_plugins/{text,net}.py library/site_facts.py
        docs/{setup,roles}.md tests/test.yml
    ", ".pre-commit-config.yaml"),

    ("a thesis in LaTeX", "
        README.md .gitignore Makefile latexmkrc thesis.tex thesis.bib preamble.tex macros.tex titlepage.tex abstract.tex abstract-de.tex
        chapters/{introduction,background,related,method,design,implementation,evaluation,discussion,conclusion}.tex
        appendix/{proofs,data,survey,code}.tex figures/{overview,pipeline,results,latency,accuracy,ablation,timeline}.{tikz,tex}
        tables/{datasets,results,ablation,parameters}.tex data/{latency,accuracy,ablation,survey}.csv scripts/{plot,tables,stats}.py
        slides/{talk.tex,theme.sty,figures/{one,two,three}.tikz} styles/{thesis.cls,listings.sty,numbers.bst} notes/{reading,meetings,todo}.md
    ", ""),

    ("charts of Helm", "
        README.md .gitignore charts/{web,worker,database,cache}/{Chart,values,values-prod}.yaml charts/{web,worker,database,cache}/{.helmignore,README.md}
        charts/{web,worker,database,cache}/templates/{deployment,service,ingress,configmap,secret,hpa,serviceaccount}.yaml
        charts/{web,worker,database,cache}/templates/{_helpers.tpl,NOTES.txt,tests/connection.yaml} charts/web/values.schema.json
        clusters/{staging,prod}/{kustomization,namespace,web,worker,database}.yaml dashboards/{web,worker}.json alerts/{web,worker,database}.yaml
        docs/{install,upgrade,values}.md ct.yaml
    ", ".github/workflows/lint.yml"),

    ("an extension of Chrome", "
        README.md LICENSE .gitignore manifest.json webpack.config.js tsconfig.json package-lock.json src/{background,content,storage,messages,config}.ts
        src/popup/{index.html,popup.ts,popup.css,state.ts} src/popup/{list,search,detail,settings,share}/{view,state,style}.{ts,css}
        src/options/{index.html,options.ts,options.css} src/panel/{index.html,panel.ts,panel.css}
        src/content/{highlight,overlay,selection,observe,rules}.ts src/lib/{dom,text,time,debounce,match}.ts _locales/{de,en,es,fr,ja,pt_BR}/messages.json
        icons/{16,32,48,128}.svg test/{background,storage,match,text,rules}.test.ts test/fixtures/{plain,nested,shadow,frames}.html
        store/{description,privacy,changes}.md docs/{messages,permissions}.md
    ", "eslint.config.js package.json"),

    ("settings of NixOS", "
        README.md .gitignore flake.lock LICENSE hosts/{desk,laptop,server,pi}/{default,hardware,disks,network}.nix
        modules/{audio,boot,desktop,fonts,firewall,git,locale,nix,printing,ssh,users,virtualisation,backup}.nix
        modules/services/{nginx,postgres,grafana,mail,git,dns,files,backup,wiki,chat,media,metrics}.nix
        home/{default,git,editor,browser,terminal,mail,fonts}.nix
        overlays/{default,patched}.nix packages/{default,notes/default,notes/package,fonts/default}.nix lib/{default,hosts,users}.nix
        templates/{rust,python}/{README.md,module.nix} secrets/secrets.yaml docs/{install,hosts}.md tests/{nginx,backup}.nix
    ", "flake.nix home/shell.nix modules/shell.nix"),

    ("a package of R", "
        README.md README.Rmd NEWS.md LICENSE DESCRIPTION NAMESPACE .Rbuildignore .gitignore .lintr _pkgdown.yml
        R/{read,write,clean,model,plot,summary,predict,utils,data,package,zzz}.R R/{lm,glm,tree,forest,cluster}-{fit,print,plot,tidy}.R
        man/{read,write,clean,model,plot,summary,predict}.Rd
        tests/testthat.R tests/testthat/test-{read,write,clean,model,plot,summary,predict}.R tests/testthat/_snaps/{plot,summary}.md
        vignettes/{start,models,plots}.Rmd data-raw/{visits,orders}.R data-raw/{visits,orders}.csv inst/{CITATION,extdata/{plain,broken}.csv}
        src/{model.cpp,RcppExports.cpp,Makevars} shiny/{app.R,ui.R,server.R}
    ", ".github/workflows/check.yaml"),

    ("a service of Scala with sbt", "
        README.md .gitignore .scalafmt.conf .scalafix.conf build.sbt project/build.properties project/{plugins.sbt,Dependencies.scala}
        modules/{core,http,store,client,jobs}/src/main/scala/org/example/{users,orders,products}/{Errors,Routes,Service,Repository,Model,Json}.scala
        modules/{core,http,store,client}/src/test/scala/org/example/{Routes,Service,Repository,Json}Spec.scala
        modules/{http,store}/src/main/resources/{application.conf,logback.xml} modules/store/src/main/resources/db/{V1,V2,V3}.sql docs/{api,build}.md
    ", ".github/workflows/ci.yml"),

    ("a book of MkDocs", "
        README.md LICENSE .gitignore mkdocs.yml requirements.txt docs/{index,install,start,faq,changes,glossary}.md
        docs/{guide,reference,howto,concepts}/{index,first,second,third,fourth,fifth,sixth}.md docs/de/{index,install,start}.md
        docs/assets/{logo.svg,extra.css,extra.js} docs/snippets/{install,config,hooks}.md overrides/{main.html,partials/{footer,header}.html}
        examples/{first,second}/{main.py,README.md,config.yaml} hooks/{links,versions}.py includes/abbreviations.md
    ", ".github/workflows/pages.yml"),

    ("firmware for a board", "
        README.md LICENSE .gitignore platformio.ini partitions.csv sdkconfig.defaults src/{main,config,wifi,mqtt,sensor,display,power,update,log}.cpp
        include/{config,wifi,mqtt,sensor,display,power,update,log,pins}.h lib/ring/{src/{ring.cpp,ring.h},library.json,README.md}
        lib/debounce/{src/{debounce.cpp,debounce.h},library.json} test/test_{ring,debounce,sensor,config}/main.cpp data/{index.html,style.css,app.js}
        boards/sensor.json hardware/{sensor.kicad_pro,sensor.kicad_sch,sensor.kicad_pcb,bom.csv} case/{lid,box}.scad docs/{wiring,flash,protocol}.md
    ", ""),
];

/// The paths of a list.
pub(crate) fn paths(list: &str) -> Vec<String> {
    list.split_whitespace().flat_map(expanded).collect()
}

/// A path for each choice of its braces, of which one may be in another.
fn expanded(path: &str) -> Vec<String> {
    let Some(begin) = path.find('{') else { return vec![path.to_owned()] };
    let (mut depth, mut from, mut choices) = (0, begin + 1, Vec::new());
    for (at, c) in path.char_indices().skip_while(|(at, _)| *at < begin) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 || (depth == 1 && c == ',') {
            choices.push(&path[from..at]);
            from = at + 1;
        }
        if depth == 0 {
            let around = |choice| format!("{}{choice}{}", &path[..begin], &path[at + 1..]);
            return choices.into_iter().flat_map(|choice| expanded(&around(choice))).collect();
        }
    }
    panic!("{path} has a brace that nothing closes")
}
